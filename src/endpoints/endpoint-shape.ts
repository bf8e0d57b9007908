/**
 * An endpoint as the graph shows it, and the columns that every read of one selects. Spec, "Inference endpoint";
 * contract, "Inference endpoints".
 */
import type { AccountRef } from '../operation/context.ts'
import type { Usd } from '../platform/money.ts'
import { column, columns, type RowOf } from '../store/columns.ts'
import { accruedUsd, ceilingUsd } from './end/bill.ts'
import { sessionsUsdSql } from './end/sessions-usd.ts'
import { deadlineSql, reservedSql } from './endpoint-row.ts'

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
  id: column.text('u.id'),
  name: column.text.orNull('u.name'),
  status: column.enum('EndpointStatus', 'u.status'),
  executor: column.enum('RunExecutor', 'u.executor'),
  modelRepoId: column.text('u.model_repo_id'),
  modelRepoName: column.text('u.model_repo_name'),
  artifactKind: column.enum('EndpointArtifactKind', 'u.artifact_kind'),
  artifactPath: column.text('u.artifact_path'),
  modelSha256: column.text('u.model_sha256'),
  policyFormat: column.text.orNull('u.policy_format'),
  artifactFiles: column.int4('u.artifact_files'),
  artifactBytes: column.int8('u.artifact_bytes'),
  contractFingerprint: column.text.orNull('u.contract_fingerprint'),
  controlClass: column.enum('ControlClass', 'u.control_class'),
  ownerId: column.text('o.id'),
  ownerKind: column.enum('AccountKind', 'o.kind'),
  ownerHandle: column.text('o.handle'),
  ownerName: column.text.orNull('o.name'),
  creatorId: column.text.orNull('c.id'),
  creatorHandle: column.text.orNull('c.handle'),
  creatorName: column.text.orNull('c.name'),
  tier: column.text('u.tier'),
  params: column.int8('u.params'),
  vramBytes: column.int8('u.vram_bytes'),
  priced: column.bool('u.priced'),
  rateUsdPerHour: column.numeric.orNull<Usd>('u.rate_usd_per_hour'),
  maxHours: column.float8.orNull('u.max_hours::float8'),
  budgetUsd: column.numeric.orNull<Usd>('u.budget_usd'),
  url: column.text.orNull('u.url'),
  claimedBy: column.text.orNull('u.claimed_by'),
  createdAt: column.timestamptz('u.created_at'),
  claimedAt: column.timestamptz.orNull('u.claimed_at'),
  startedAt: column.timestamptz.orNull('u.started_at'),
  heartbeatAt: column.timestamptz.orNull('u.heartbeat_at'),
  stopRequestedAt: column.timestamptz.orNull('u.cancel_requested_at'),
  stopReason: column.text.orNull('u.stop_reason'),
  finishedAt: column.timestamptz.orNull('u.finished_at'),
  hostedCallId: column.text.orNull('u.hosted_call_id'),
  dispatchedAt: column.timestamptz.orNull('u.dispatched_at'),
  error: column.text.orNull('u.error'),
  costUsd: column.numeric.orNull<Usd>('u.cost_usd'),
  sessionsOpen: column.int4('u.sessions_open'),
  sessionsTotal: column.int4('u.sessions_total'),
  chunksServed: column.int8('u.chunks_served'),
  gpuSeconds: column.float8('u.gpu_seconds::float8'),
  serviceMsP95: column.float8.orNull('u.service_ms_p95'),
  rttMsP95: column.float8.orNull('u.rtt_ms_p95'),
  deadlineAt: column.timestamptz.orNull(deadlineSql),
  reservedUsd: column.numeric.orNull<Usd>(reservedSql),
  /** Null unless it is running. */
  sessionsUsd: column.numeric.orNull<Usd>(`case when u.status = 'running' then ${sessionsUsdSql} end`),
  now: column.timestamptz('now()'),
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
