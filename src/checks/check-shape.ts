/** A check as the graph shows it, and the columns that every read of one selects. Spec, "Robot check job". */

import type { AccountRef } from '../operation/context.ts'
import { computedMembers } from '../platform/computed-members.ts'
import { weigh } from '../platform/json-text.ts'
import type { Usd } from '../platform/money.ts'
import type { Visibility } from '../repos/repo-shape.ts'
import { column, columns, type RowOf } from '../store/columns.ts'
import { listOf, number, objectOf, orNull, text, texts } from '../store/read-json.ts'
import type { CheckArtifact, Document } from './check-parts.ts'
import type { CheckSource } from './claim/sources.ts'
import { type CardFaults, knownRefusals } from './publish/known-refusals.ts'
import { type PublishFacts, publishBlockers } from './publish-blockers.ts'
import { changedSql } from './snapshot-sql.ts'

export type { CheckArtifact, CheckKind, Document } from './check-parts.ts'

export const checkActions = ['position', 'position_offset', 'position_delta', 'velocity', 'torque'] as const
export type CheckAction = (typeof checkActions)[number]

/** A point of a draft that a person has to look at. A `blocking` one prevents publication, `advice` does not. */
export interface CheckNeed {
  readonly field: string
  readonly severity: 'blocking' | 'advice'
  readonly why: string
  readonly names: readonly string[]
  readonly suggestion: string | null
}

export interface CheckDraft {
  /** `source`, `mjcf_path`, `model`, `derived`, `conversion` as the worker reported them. */
  readonly reported: Document
  readonly card: Document | null
  readonly needsYou: readonly CheckNeed[]
}

/** RobotCheckJobPublished of the spec. */
export interface CheckPublished {
  readonly at: string
  /** The publisher, with the handle and name of that time; null for a key without a person. */
  readonly by: AccountRef | null
  /** Fingerprint of the card's interface; null for a model check, and for a card without an interface. */
  readonly interfaceFingerprint: string | null
  /** Visibility of the repo after the publication. */
  readonly visibility: Visibility
  readonly files: readonly PublishedFile[]
  readonly smokeRolloutId: string | null
  readonly smokeError: string | null
}

export interface PublishedFile {
  readonly path: string
  readonly sha256: string
  readonly size: number
}

interface RepoRef {
  readonly id: string
  readonly fullName: string
}

/** Columns of `checkTables`. JSON columns have the types of the verbs that write them. */
export const checkColumns = columns({
  id: column.text('u.id'),
  kind: column.enum('RobotCheckKind', 'u.kind'),
  status: column.enum('JobStatus', 'u.status'),
  ownerId: column.text('u.owner_id'),
  robotRepoId: column.text.orNull('u.robot_repo_id'),
  robotRepoName: column.text.orNull('u.robot_repo_name'),
  robotGone: column.bool(
    'u.robot_repo_id is not null and not exists (select 1 from repos r where r.id = u.robot_repo_id)',
  ),
  modelGone: column.bool(
    'u.model_repo_id is not null and not exists (select 1 from repos r where r.id = u.model_repo_id)',
  ),
  modelRepoId: column.text.orNull('u.model_repo_id'),
  modelRepoName: column.text.orNull('u.model_repo_name'),
  model: column.document.orNull<Document>('u.model'),
  intake: column.document.orNull<Document>('u.intake'),
  entry: column.text.orNull('u.entry'),
  base: column.text.orNull('u.base'),
  controlHz: column.float8.orNull('u.control_hz'),
  action: column.text.orNull<CheckAction>('u.action'),
  options: column.document.orNull<Document>('u.options'),
  drop: column.document.orNull<Document>('u.drop'),
  executor: column.enum('RunExecutor', 'u.executor'),
  creatorId: column.text.orNull('c.id'),
  creatorHandle: column.text.orNull('c.handle'),
  creatorName: column.text.orNull('c.name'),
  createdAt: column.timestamptz('u.created_at'),
  startedAt: column.timestamptz.orNull('u.started_at'),
  finishedAt: column.timestamptz.orNull('u.finished_at'),
  claimedAt: column.timestamptz.orNull('u.claimed_at'),
  heartbeatAt: column.timestamptz.orNull('u.heartbeat_at'),
  dispatchedAt: column.timestamptz.orNull('u.dispatched_at'),
  claimedBy: column.text.orNull('u.claimed_by'),
  hostedCallId: column.text.orNull('u.hosted_call_id'),
  error: column.text.orNull('u.error'),
  sourcesCount: column.int4('u.sources_count'),
  sourcesBytes: column.int8('u.sources_bytes'),
  logSeq: column.int4('u.log_seq'),
  logTail: column.text('u.log_tail'),
  report: column.document.orNull<Document>('u.report'),
  draft: column.document.orNull<Document>('u.draft'),
  card: column.document.orNull<Document>('u.card'),
  needsYou: column.document.orNull<readonly CheckNeed[]>('u.needs_you'),
  engine: column.document.orNull<Document>('u.engine'),
  /** Selected only for a succeeded check that is not published, since only there it decides something. */
  cardFaults: column.json.orNull(
    "case when u.status = 'succeeded' and u.published_at is null then u.card_faults end",
    objectOf<CardFaults>({ rules: number, sentences: texts }),
  ),
  published: column.document.orNull<CheckPublished>('u.published'),
  priced: column.bool('u.priced'),
  costUsd: column.numeric.orNull<Usd>('u.cost_usd'),
  changedFiles: column.json(changedSql, texts),
  artifacts: column.json(
    `coalesce((select json_agg(json_build_object('name', a.name, 'storageKey', a.storage_key, 'size', a.size,
    'sha256', a.sha256, 'contentType', a.content_type) order by a.name) from robot_check_artifacts a where a.check_id = u.id and a.sha256 is not null), '[]')`,
    listOf(
      objectOf<CheckArtifact>({ name: text, storageKey: text, size: number, sha256: text, contentType: orNull(text) }),
    ),
  ),
})

export type CheckRow = RowOf<typeof checkColumns>

/** The tables of `checkColumns`. */
export const checkTables = 'robot_checks u left join accounts c on c.id = u.created_by'

/** Times RFC 3339; money in dollars with four decimals at most. */
export interface RobotCheck
  extends Pick<
    CheckRow,
    | 'id'
    | 'ownerId'
    | 'kind'
    | 'status'
    | 'entry'
    | 'base'
    | 'controlHz'
    | 'action'
    | 'executor'
    | 'createdAt'
    | 'startedAt'
    | 'finishedAt'
    | 'claimedAt'
    | 'heartbeatAt'
    | 'dispatchedAt'
    | 'claimedBy'
    | 'hostedCallId'
    | 'error'
    | 'sourcesCount'
    | 'sourcesBytes'
    | 'priced'
    | 'artifacts'
  > {
  readonly model: Document | null
  readonly intake: Document | null
  readonly options: Document | null
  readonly drop: Document | null
  readonly report: Document | null
  readonly engine: Document | null
  readonly published: CheckPublished | null
  readonly robotRepo: RepoRef | null
  readonly modelRepo: RepoRef | null
  readonly createdBy: AccountRef | null
  readonly logTail: string | null
  readonly draft: CheckDraft | null
  readonly costUsd: number | null
  readonly publishBlockers: readonly string[]
  /** Only in the response to a claim. */
  readonly sources?: readonly CheckSource[]
}

const refOf = (id: string | null, fullName: string | null): RepoRef | null =>
  id === null ? null : { id, fullName: fullName ?? '' }

type Computed =
  | 'model'
  | 'intake'
  | 'options'
  | 'drop'
  | 'report'
  | 'engine'
  | 'published'
  | 'draft'
  | 'publishBlockers'

const computed = computedMembers<CheckRow, Pick<RobotCheck, Computed>>({
  model: (row) => row.model?.value ?? null,
  intake: (row) => row.intake?.value ?? null,
  options: (row) => row.options?.value ?? null,
  drop: (row) => row.drop?.value ?? null,
  report: (row) => row.report?.value ?? null,
  engine: (row) => row.engine?.value ?? null,
  published: (row) => row.published?.value ?? null,
  draft: (row) => draftOf(row),
  publishBlockers: (row) => blockersOf(row),
})

/** Converts a row to the graph's shape. Documents, and what follows from them, are made where they are read. */
export function toCheck(row: CheckRow): RobotCheck {
  const { creatorId, creatorHandle, creatorName, robotRepoId, robotRepoName, modelRepoId, modelRepoName } = row
  const check: Omit<RobotCheck, Computed> = {
    id: row.id,
    ownerId: row.ownerId,
    kind: row.kind,
    status: row.status,
    entry: row.entry,
    base: row.base,
    controlHz: row.controlHz,
    action: row.action,
    executor: row.executor,
    createdAt: row.createdAt,
    startedAt: row.startedAt,
    finishedAt: row.finishedAt,
    claimedAt: row.claimedAt,
    heartbeatAt: row.heartbeatAt,
    dispatchedAt: row.dispatchedAt,
    claimedBy: row.claimedBy,
    hostedCallId: row.hostedCallId,
    error: row.error,
    sourcesCount: row.sourcesCount,
    sourcesBytes: row.sourcesBytes,
    priced: row.priced,
    artifacts: row.artifacts,
    robotRepo: refOf(robotRepoId, robotRepoName),
    modelRepo: refOf(modelRepoId, modelRepoName),
    createdBy:
      creatorId === null ? null : { id: creatorId, kind: 'user', handle: creatorHandle ?? '', name: creatorName },
    logTail: row.logSeq === 0 ? null : row.logTail,
    costUsd: row.costUsd === null ? null : Number(row.costUsd),
  }
  return computed(check, row)
}

function draftOf({ draft, card, needsYou }: CheckRow): CheckDraft | null {
  if (!draft && !card && !needsYou) return null
  const made = { reported: draft?.value ?? {}, card: card?.value ?? null, needsYou: needsYou?.value ?? [] }
  return weigh(made, (draft?.text.length ?? 0) + (card?.text.length ?? 0) + (needsYou?.text.length ?? 0))
}

/** Conflicts, then the refusals of publishing that are known without reading the store. */
function blockersOf(row: CheckRow): string[] {
  const conflicts = publishBlockers(publishFactsOf(row)).map(({ detail }) => detail)
  const isOpen = row.status === 'succeeded' && row.published === null
  return isOpen ? [...conflicts, ...knownRefusals({ ...row, card: row.card?.value ?? null })] : conflicts
}

/** The facts of a check's row that decide whether the check may be published. */
export function publishFactsOf(row: CheckRow): PublishFacts {
  const { status, kind, published, report, needsYou, robotGone, modelGone, card, changedFiles } = row
  const blocking = (needsYou?.value ?? []).filter(({ severity }) => severity === 'blocking')
  return {
    status,
    kind,
    published: published !== null,
    reportOk: report === null ? null : report.value.ok === true,
    blockingFields: blocking.map(({ field }) => field),
    robotGone,
    modelGone,
    hasCard: card !== null,
    changedFiles,
  }
}
