import { defineRows } from '../support/define-cases.ts'

const anApproval = (status: string, digest: string, jointMap = 'null') =>
  `insert into approvals (id, endpoint_id, device_id, model_sha256, status, minted_by, expires_at, joint_map)
   values ('x', 'x', 'x', '${digest}', '${status}', 'x', now(), ${jointMap})`

const anEndpoint = (changes: string) =>
  `insert into endpoints (id, status, executor, owner_id, filed_by, model_repo_id, model_repo_name, artifact_kind, artifact_path, model_sha256, artifact_files,
     artifact_bytes, repo_seq, control_class, tier, params, vram_bytes, max_hours, sessions_open, claim_credential, policy_body)
   select 'x', (e->>'status')::"EndpointStatus", (e->>'executor')::"RunExecutor", 'x', 'x', 'x', 'a/b', 'onnx', 'a.onnx', e->>'sha256', 1, 1, 1,
     (e->>'class')::"ControlClass", 'l4', 1, 3, (e->>'hours')::numeric, (e->>'open')::int, e->>'claim', to_json(repeat('x', (e->>'body')::int))
   from (select jsonb '{"status":"queued","executor":"worker","sha256":"${'a'.repeat(64)}","class":"skill","open":0}' || '${changes}' as e) given`

export const rows = defineRows({
  refused: {
    endpoint_sessions_closed_dated: `insert into endpoint_sessions (id, endpoint_id, status, opened_by, expires_at) values ('x', 'x', 'closed', 'x', now())`,
    endpoint_sessions_counted: `insert into endpoint_sessions (id, endpoint_id, status, opened_by, expires_at, gpu_seconds) values ('x', 'x', 'open', 'x', now(), -1)`,
    approvals_revoked_whole: anApproval('revoked', 'a'.repeat(64)),
    approvals_digest_form: anApproval('issued', 'A'),
    approvals_joint_map_form: anApproval('issued', 'a'.repeat(64), `'A'`),
    endpoints_policy_body_bounds: anEndpoint('{"body":3000000}'),
    endpoints_running_is_claimed: anEndpoint('{"status":"running"}'),
    endpoints_ended_dated: anEndpoint('{"status":"stopped"}'),
    endpoints_pinned: anEndpoint('{"sha256":"A"}'),
    endpoints_served_remotely: anEndpoint('{"class":"reflex"}'),
    endpoints_priced_whole: anEndpoint('{"executor":"hosted"}'),
    endpoints_limits: anEndpoint('{"hours":721}'),
    endpoints_queued_is_free: anEndpoint('{"claim":"x"}'),
    endpoints_counted: anEndpoint('{"open":1}'),
  },
})
