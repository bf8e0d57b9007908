/** Inference endpoints for tests: a model to serve, and an endpoint in the state that a test begins with. */

import { newId } from '@hub/formats/ids'
import { expect } from 'vitest'
import { type Answer, type contractHub, type Json, type Person, sha256Of, type Who } from './hub.ts'

/** Bytes of an ONNX file that nobody reads. */
export const onnxBytes = 'not read here'
export const onnxSha256 = sha256Of(onnxBytes)

export const manifest = (change: Record<string, unknown> = {}) =>
  JSON.stringify({ policy_format: 'vla-lib', policy_type: 'vla', control_class: 'skill', params: 1_000_000, ...change })

export function endpointsOf(hub: ReturnType<typeof contractHub>) {
  const ok = async (asked: Promise<Answer>, status: number): Promise<Json> => {
    const { status: got, json } = await asked
    expect([got, json?.errors]).toEqual([status, undefined])
    return json
  }

  /** Repo of a model with these files; `meta` null: none is declared. */
  async function model(
    who: Person,
    files: Readonly<Record<string, string | Buffer>> = { 'policy.onnx': onnxBytes },
    { meta = { control_class: 'skill' } as Json, ...change }: Json = {},
  ): Promise<string> {
    const name = await hub.repo(who, { kind: 'model', ...change })
    if (Object.keys(files).length > 0) await hub.upload(who, name, files)
    if (meta) await ok(hub.call(who, 'PUT', `/v1/models/${name}/meta`, { policy_type: 'act', ...meta }), 200)
    return name
  }

  const create = (who: Who, model_repo: string, change: Json = {}) =>
    hub.call(who, 'POST', '/v1/endpoints', { model_repo, params: 1_000_000, ...change })
  const estimate = (who: Who, model_repo: string, change: Json = {}) =>
    hub.call(who, 'POST', '/v1/endpoints/estimate', { model_repo, params: 1_000_000, ...change })

  /** A queued endpoint. */
  const queued = (who: Who, name: string, change: Json = {}): Promise<Json> => ok(create(who, name, change), 201)

  const url = 'wss://box.example:8765/policy'
  const claim = (who: Who, id: string, change: Json = {}) =>
    hub.call(who, 'POST', `/v1/endpoints/${id}/claim`, { worker: 'box', url, model_sha256: onnxSha256, ...change })
  const report = (who: Who, id: string, body: Json = {}) => hub.call(who, 'POST', `/v1/endpoints/${id}/report`, body)
  const stop = (who: Who, id: string) => hub.call(who, 'DELETE', `/v1/endpoints/${id}`)
  const read = (who: Who, id: string): Promise<Json> => ok(hub.call(who, 'GET', `/v1/endpoints/${id}`), 200)

  /** Id of an endpoint that this credential holds. */
  async function claimed(who: Who, name: string, change: Json = {}): Promise<string> {
    const { id } = await queued(who, name, change)
    await ok(claim(who, id), 200)
    return id
  }

  /** Id of an open session, as a device would have one; times in seconds from now. */
  async function session(endpointId: string, { expiresIn = 3600 } = {}): Promise<string> {
    const id = newId('esess')
    await hub.sql(
      `insert into endpoint_sessions (id, endpoint_id, status, opened_by, expires_at, priced)
        select $1, u.id, 'open', 'key_device', now() + make_interval(secs => $3), u.priced from endpoints u where u.id = $2`,
      [id, endpointId, expiresIn],
    )
    await hub.sql(
      'update endpoints set sessions_open = sessions_open + 1, sessions_total = sessions_total + 1 where id = $1',
      [endpointId],
    )
    return id
  }

  /** As if it had been claimed so long ago. */
  const age = (id: string, seconds: number) =>
    hub.sql(
      `update endpoints set claimed_at = claimed_at - make_interval(secs => $2), started_at = started_at - make_interval(secs => $2),
        heartbeat_at = heartbeat_at - make_interval(secs => $2),
        cancel_requested_at = cancel_requested_at - make_interval(secs => $2) where id = $1`,
      [id, seconds],
    )

  const ledgerOf = (endpointId: string) =>
    hub.sql<Json>(
      `select l.job_kind, l.job_id, l.attempt, l.kind, l.tier, l.seconds::text, l.amount_usd::text from ledger l
        join endpoint_sessions s on s.id = l.job_id where s.endpoint_id = $1 order by l.job_id`,
      [endpointId],
    )
  const audits = async (id: string): Promise<string[]> =>
    (await hub.sql<{ action: string }>('select action from audit_log where target_id = $1 order by id', [id])).map(
      ({ action }) => action,
    )

  return {
    ok,
    model,
    create,
    estimate,
    queued,
    url,
    claim,
    report,
    stop,
    read,
    claimed,
    session,
    age,
    ledgerOf,
    audits,
  }
}
