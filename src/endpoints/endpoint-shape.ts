/** An endpoint as the graph shows it, and the columns that every read of one selects. Spec, "Inference endpoint"; contract, "Inference endpoints". */
import type { AccountRef } from '../operation/context.ts'
import type { Usd } from '../platform/money.ts'
import type { ControlClass } from '../repos/repo-shape.ts'
import { column, columns, type RowOf } from '../store/columns.ts'
import type { JobExecutor } from '../work/held-job.ts'
import { accruedUsd, ceilingUsd } from './end/bill.ts'
import { sessionsUsdSql } from './end/sessions-usd.ts'
import { deadlineSql, reservedSql } from './endpoint-row.ts'
import type { EndpointStatus } from './endpoint-state.ts'

export type ArtifactKind = 'onnx' | 'checkpoint'

/** EndpointArtifact of the spec: what is served, pinned by its digest. */
export interface EndpointArtifact {
  readonly kind: ArtifactKind
  /** Of the ONNX file, or of the checkpoint directory; empty for one at the root of the repo. */
  readonly path: string
  readonly sha256: string
  /** Of a checkpoint. */
  readonly policyFormat: string | null
  readonly files: number
  readonly bytes: number
}

/** Of `endpoints u join accounts o … left join accounts c …`. */
export const endpointColumns = columns({
  id: column<string>('u.id'),
  name: column<string | null>('u.name'),
  status: column<EndpointStatus>('u.status'),
  executor: column<JobExecutor>('u.executor'),
  modelRepoId: column<string>('u.model_repo_id'),
  modelRepoName: column<string>('u.model_repo_name'),
  artifactKind: column<ArtifactKind>('u.artifact_kind'),
  artifactPath: column<string>('u.artifact_path'),
  modelSha256: column<string>('u.model_sha256'),
  policyFormat: column<string | null>('u.policy_format'),
  artifactFiles: column<number>('u.artifact_files'),
  artifactBytes: column<number>('u.artifact_bytes'),
  contractFingerprint: column<string | null>('u.contract_fingerprint'),
  controlClass: column<ControlClass>('u.control_class'),
  ownerId: column<string>('o.id'),
  ownerKind: column<AccountRef['kind']>('o.kind'),
  ownerHandle: column<string>('o.handle'),
  ownerName: column<string | null>('o.name'),
  creatorId: column<string | null>('c.id'),
  creatorHandle: column<string | null>('c.handle'),
  creatorName: column<string | null>('c.name'),
  tier: column<string>('u.tier'),
  params: column<number>('u.params'),
  vramBytes: column<number>('u.vram_bytes'),
  priced: column<boolean>('u.priced'),
  rateUsdPerHour: column<Usd | null>('u.rate_usd_per_hour'),
  maxHours: column<number | null>('u.max_hours::float8'),
  budgetUsd: column<Usd | null>('u.budget_usd'),
  url: column<string | null>('u.url'),
  claimedBy: column<string | null>('u.claimed_by'),
  createdAt: column<string>('u.created_at'),
  claimedAt: column<string | null>('u.claimed_at'),
  startedAt: column<string | null>('u.started_at'),
  heartbeatAt: column<string | null>('u.heartbeat_at'),
  stopRequestedAt: column<string | null>('u.cancel_requested_at'),
  stopReason: column<string | null>('u.stop_reason'),
  finishedAt: column<string | null>('u.finished_at'),
  hostedCallId: column<string | null>('u.hosted_call_id'),
  dispatchedAt: column<string | null>('u.dispatched_at'),
  error: column<string | null>('u.error'),
  costUsd: column<Usd | null>('u.cost_usd'),
  sessionsOpen: column<number>('u.sessions_open'),
  sessionsTotal: column<number>('u.sessions_total'),
  chunksServed: column<number>('u.chunks_served'),
  gpuSeconds: column<number>('u.gpu_seconds::float8'),
  serviceMsP95: column<number | null>('u.service_ms_p95'),
  rttMsP95: column<number | null>('u.rtt_ms_p95'),
  deadlineAt: column<string | null>(deadlineSql),
  reservedUsd: column<Usd | null>(reservedSql),
  /** Null unless it is running. */
  sessionsUsd: column<Usd | null>(`case when u.status = 'running' then ${sessionsUsdSql} end`),
  now: column<string>('now()'),
})

type EndpointRow = RowOf<typeof endpointColumns>

/** What `endpointColumns` reads from. */
export const endpointTables =
  'endpoints u join accounts o on o.id = u.owner_id left join accounts c on c.id = u.created_by'

type Hidden =
  | `owner${string}`
  | `creator${string}`
  | `artifact${string}`
  | `modelRepo${string}`
  | 'policyFormat'
  | 'deadlineAt'
  | 'reservedUsd'
  | 'sessionsUsd'
  | 'now'

/** Times RFC 3339; money in dollars with four decimals at most. */
export interface Endpoint extends Omit<EndpointRow, Hidden | 'rateUsdPerHour' | 'budgetUsd' | 'costUsd'> {
  readonly modelRepo: { readonly id: string; readonly fullName: string }
  readonly artifact: EndpointArtifact
  readonly owner: AccountRef
  readonly createdBy: AccountRef | null
  /** 0 where it is not priced. */
  readonly rateUsdPerHour: number
  readonly budgetUsd: number | null
  readonly costUsd: number | null
}

/** What a running endpoint has cost so far, as its bill will have it; null before and after. */
function accruedOf(row: EndpointRow): Usd | null {
  if (row.sessionsUsd === null) return null
  return accruedUsd(row.sessionsUsd, ceilingUsd({ ...row, cancelRequestedAt: row.stopRequestedAt }, row.now))
}

const numberOf = (amount: Usd | null) => (amount === null ? null : Number(amount))

/** A row in the graph's shape. */
export function toEndpoint(row: EndpointRow): Endpoint {
  const { ownerId, ownerKind, ownerHandle, ownerName, creatorId, creatorHandle, creatorName, ...rest } = row
  const { artifactKind, artifactPath, artifactFiles, artifactBytes, policyFormat, ...unpinned } = rest
  const { modelRepoId, modelRepoName, rateUsdPerHour, budgetUsd, costUsd, ...counted } = unpinned
  const { deadlineAt: _deadline, reservedUsd: _reserved, sessionsUsd: _sessions, now: _now, ...own } = counted
  return {
    ...own,
    modelRepo: { id: modelRepoId, fullName: modelRepoName },
    artifact: {
      kind: artifactKind,
      path: artifactPath,
      sha256: row.modelSha256,
      policyFormat,
      files: artifactFiles,
      bytes: artifactBytes,
    },
    owner: { id: ownerId, kind: ownerKind, handle: ownerHandle, name: ownerName },
    createdBy:
      creatorId === null ? null : { id: creatorId, kind: 'user', handle: creatorHandle ?? '', name: creatorName },
    rateUsdPerHour: Number(rateUsdPerHour ?? 0),
    budgetUsd: numberOf(budgetUsd),
    costUsd: numberOf(costUsd ?? accruedOf(row)),
  }
}
