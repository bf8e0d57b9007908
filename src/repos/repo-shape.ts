/** A repo as the graph shows it, and the columns that every read of one selects. Spec, "Repo". */
import { repoVisibleSql, visibleRepos } from '../auth/policy.ts'
import type { AccountRef, Viewer } from '../operation/context.ts'

export type RepoKind = 'dataset' | 'model' | 'robot'
export type Visibility = 'private' | 'public'
export type ControlClass = 'reflex' | 'skill' | 'planner'

export interface ModelMeta {
  readonly policyType: string
  readonly baseModel: string | null
  readonly sourceRunId: string | null
  readonly controlClass: ControlClass | null
  readonly robot: string | null
  readonly embodimentFingerprint: string | null
  readonly embodimentCheck: 'match' | 'mismatch' | 'policy_unstamped' | 'robot_undeclared' | null
  readonly updatedAt: string
}

export interface DatasetMeta {
  readonly episodeCount: number
  readonly fps: number | null
  readonly robotType: string | null
  readonly totalFrames: number
  readonly updatedAt: string
}

/** `totalBytes` in bytes; `verifiedCount` counts files whose bytes the hub hashed itself. */
export interface FileSummary {
  readonly count: number
  readonly totalBytes: number
  readonly verifiedCount: number
}

/** `robotCard` is declared beside the cards. */
export interface Repo {
  readonly id: string
  readonly kind: RepoKind
  readonly owner: AccountRef
  readonly slug: string
  readonly fullName: string
  readonly visibility: Visibility
  readonly description: string | null
  readonly tags: readonly string[]
  readonly modelMeta: ModelMeta | null
  readonly datasetMeta: DatasetMeta | null
  readonly fileSummary: FileSummary
  readonly policyCount: number | null
  readonly createdAt: string
  readonly updatedAt: string
}

/** One row of `repoColumns`, as an array in their order. */
export type RepoRow = readonly [
  id: string,
  kind: RepoKind,
  ownerId: string,
  ownerKind: AccountRef['kind'],
  ownerHandle: string,
  ownerName: string | null,
  slug: string,
  visibility: Visibility,
  description: string | null,
  tags: string[],
  fileCount: number,
  totalBytes: number,
  verifiedCount: number,
  createdAt: string,
  updatedAt: string,
  meta: ModelMeta | DatasetMeta | Repo['robotCard'],
  policyCount: number | null,
]

const isoTime = (column: string) => `to_char(${column} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`

/** What visible means for the repo alias `r`; every read of repos has the viewer's parameters as $1 and $2. */
export const visibleRepo = repoVisibleSql('r')

/** `$1` and `$2` of every read of repos. */
export function viewerParams(viewer: Viewer): [readonly string[], readonly string[] | null] {
  const { accountIds, repoIds } = visibleRepos(viewer)
  return [accountIds, repoIds]
}

/**
 * How a policy's fingerprint compares with its robot's current interface (spec, ModelMeta `embodiment_check`): null where no robot of
 * this hub that the caller can see is named.
 */
const embodimentCheck = `(
    select case
      when c.interface_fingerprint is null then 'robot_undeclared'
      when m.embodiment_fingerprint is null then 'policy_unstamped'
      when m.embodiment_fingerprint = c.interface_fingerprint then 'match'
      else 'mismatch' end
    from accounts ro join repos rr on rr.owner_id = ro.id and rr.kind = 'robot'
    left join robot_cards c on c.repo_id = rr.id
    where ro.handle = split_part(lower(m.robot), '/', 1) and rr.slug = split_part(lower(m.robot), '/', 2) and ${repoVisibleSql('rr')})`

const metaColumn = `case r.kind
    when 'model' then (
      select json_build_object('policyType', m.policy_type, 'baseModel', m.base_model, 'sourceRunId', m.source_run_id,
        'controlClass', m.control_class, 'robot', m.robot, 'embodimentFingerprint', m.embodiment_fingerprint,
        'embodimentCheck', ${embodimentCheck}, 'updatedAt', ${isoTime('m.updated_at')})
      from model_meta m where m.repo_id = r.id)
    when 'dataset' then (
      select json_build_object('episodeCount', d.episode_count, 'fps', d.fps, 'robotType', d.robot_type,
        'totalFrames', d.total_frames, 'updatedAt', ${isoTime('d.updated_at')})
      from dataset_meta d where d.repo_id = r.id)
    when 'robot' then (
      select json_build_object('card', c.card, 'interfaceFingerprint', c.interface_fingerprint, 'updatedAt', ${isoTime('c.updated_at')})
      from robot_cards c where c.repo_id = r.id)
  end`

/** Model repos visible to the caller that name this robot; null on other kinds. */
const policyCountColumn = `case when r.kind = 'robot' then (
    select count(*)::int from model_meta pm join repos pr on pr.id = pm.repo_id
    where lower(pm.robot) = o.handle || '/' || r.slug and ${repoVisibleSql('pr')}) end`

export const repoColumns = `r.id, r.kind, o.id as owner_id, o.kind as owner_kind, o.handle as owner_handle, o.name as owner_name,
  r.slug, r.visibility, r.description, to_json(r.tags) as tags, r.file_count, r.total_bytes, r.verified_count,
  r.created_at, r.updated_at, ${metaColumn} as meta, ${policyCountColumn} as policy_count`

/** A row in the graph's shape. One literal, read by place: taking the array apart by destructuring runs an iterator for each row. */
export function toRepo(row: readonly [...RepoRow, ...unknown[]]): Repo {
  const kind = row[1]
  const meta = row[15]
  return {
    id: row[0],
    kind,
    owner: { id: row[2], kind: row[3], handle: row[4], name: row[5] },
    slug: row[6],
    fullName: `${row[4]}/${row[6]}`,
    visibility: row[7],
    description: row[8],
    tags: row[9],
    modelMeta: kind === 'model' ? (meta as ModelMeta | null) : null,
    datasetMeta: kind === 'dataset' ? (meta as DatasetMeta | null) : null,
    robotCard: kind === 'robot' ? (meta as Repo['robotCard']) : null,
    fileSummary: { count: row[10], totalBytes: row[11], verifiedCount: row[12] },
    policyCount: row[16],
    createdAt: row[13],
    updatedAt: row[14],
  }
}
