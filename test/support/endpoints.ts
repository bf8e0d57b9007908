/** Rows of endpoints for tests: an endpoint in any state, put there as it is, without the verbs that would lead to it. */
import { newId } from '@hub/formats/ids'
import type { Querier } from '../../src/store/db.ts'

export interface EndpointGiven {
  readonly id?: string
  readonly status?: 'queued' | 'running' | 'stopped' | 'failed'
  readonly executor?: 'worker' | 'hosted'
  readonly ownerId: string
  readonly filedBy?: string
  readonly modelRepo?: { readonly id: string; readonly name: string }
  readonly claimCredential?: string
  /** Further columns by name; text is cast by the column. */
  readonly set?: Readonly<Record<string, unknown>>
}

/** Inserts an endpoint and returns its id. A running one was claimed by `claimCredential` just now. */
export async function putEndpoint(db: Querier, given: EndpointGiven): Promise<string> {
  const { status = 'queued', executor = 'worker', modelRepo = { id: newId('repo'), name: 'nobody/model' } } = given
  const now = new Date().toISOString()
  const running = status === 'running'
  const row: Record<string, unknown> = {
    id: given.id ?? newId('ep'),
    status,
    executor,
    owner_id: given.ownerId,
    created_by: given.ownerId,
    filed_by: given.filedBy ?? 'sess_unknown',
    model_repo_id: modelRepo.id,
    model_repo_name: modelRepo.name,
    repo_ids: [modelRepo.id],
    artifact_kind: 'onnx',
    artifact_path: 'policy.onnx',
    model_sha256: 'a'.repeat(64),
    artifact_files: 1,
    artifact_bytes: 8,
    repo_seq: 1,
    control_class: 'skill',
    tier: 'l4',
    params: 1_000_000,
    vram_bytes: 2_400_000,
    priced: executor === 'hosted',
    rate_usd_per_hour: executor === 'hosted' ? '0.7992' : null,
    ...(running && {
      url: 'wss://robot.example/policy',
      claim_credential: given.claimCredential ?? 'key_unknown',
      ...(executor === 'hosted' && { hosted_credential: given.claimCredential ?? 'key_unknown' }),
      claimed_by: 'server',
      attempt: 1,
      claimed_at: now,
      started_at: now,
      heartbeat_at: now,
    }),
    ...((status === 'stopped' || status === 'failed') && { finished_at: now }),
    ...given.set,
  }
  const columns = Object.keys(row)
  const text = `insert into endpoints (${columns.join(', ')}) values (${columns.map((_, at) => `$${at + 1}`).join(', ')})`
  await db.query({ name: '', text }, Object.values(row))
  return String(row.id)
}
