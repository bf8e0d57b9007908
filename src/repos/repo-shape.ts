/** A repo in the shape of the GraphQL type, and the columns that every read selects. Spec, "Repo". */

import { repoVisibleSql } from '../auth/policy.ts'
import { computedMembers } from '../platform/computed-members.ts'
import { JsonText, weigh } from '../platform/json-text.ts'
import { column, type RowOf } from '../store/columns.ts'
import { number, object, objectOf, oneOf, optional, orNull, text, texts } from '../store/read-json.ts'
import { robotMeant } from './named-repo.ts'
import { PlainRepo, type PlainRow, plainColumns } from './plain-repo.ts'
import { type CardFacts, README_PATH } from './readme/readme-card.ts'

export type { RepoKind, Visibility } from './plain-repo.ts'

export type ControlClass = 'reflex' | 'skill' | 'planner'

export interface ModelMeta {
  readonly policyType: string
  readonly baseModel: string | null
  readonly sourceRunId: string | null
  readonly controlClass: ControlClass | null
  readonly robot: string | null
  /** The robot repo that had that name when it was written; null where the name is text. */
  readonly robotRepoId: string | null
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

/** The member `robotCard` is declared in `cards/robot-card.ts`. */
export interface Repo extends PlainRepo {
  /** Of the header of its README.md, as every other member that begins with `card`, and these four. */
  readonly license: string | null
  readonly libraryName: string | null
  readonly pipelineTag: string | null
  readonly prettyName: string | null
  /** As the header writes them. The listing finds them in any letter case. */
  readonly cardTags: readonly string[]
  readonly cardLabels: readonly string[]
  readonly cardFault: string | null
  /** The header; undefined if it was not read with the repo's own row. */
  readonly cardData: JsonText<unknown> | null | undefined
  readonly modelMeta: ModelMeta | null
  readonly datasetMeta: DatasetMeta | null
  readonly policyCount: number | null
  /** Of the current state: 40 hex digits. */
  readonly commitId: string
}

const isoTime = (column: string) => `to_char(${column} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`

/** The visibility condition for the repo alias `r`, with the parameters `repoViewer`. */
export const visibleRepo = repoVisibleSql('r')

/**
 * Compares a policy's fingerprint with the current interface of its robot (spec, ModelMeta `embodiment_check`); null
 * unless the policy names a robot of this hub that the caller sees.
 */
const embodimentCheck = `(
    select case
      when c.interface_fingerprint is null then 'robot_undeclared'
      when m.embodiment_fingerprint is null then 'policy_unstamped'
      when m.embodiment_fingerprint = c.interface_fingerprint then 'match'
      else 'mismatch' end
    from repos rr left join robot_cards c on c.repo_id = rr.id
    where rr.id = ${robotMeant('m')} and ${repoVisibleSql('rr')})`

const metaColumn = `case r.kind
    when 'model' then (
      select json_build_object('policyType', m.policy_type, 'baseModel', m.base_model, 'sourceRunId', m.source_run_id,
        'controlClass', m.control_class, 'robot', m.robot, 'robotRepoId', m.robot_repo_id, 'embodimentFingerprint',
          m.embodiment_fingerprint,
        'embodimentCheck', ${embodimentCheck}, 'updatedAt', ${isoTime('m.updated_at')})
      from model_meta m where m.repo_id = r.id)
    when 'dataset' then (
      select json_build_object('episodeCount', d.episode_count, 'fps', d.fps, 'robotType', d.robot_type,
        'totalFrames', d.total_frames, 'updatedAt', ${isoTime('d.updated_at')})
      from dataset_meta d where d.repo_id = r.id)
  end`

/** The card of a robot repo. It can be a megabyte long, so it is read only on request. */
export const cardColumn = `case when r.kind = 'robot' then (
    select json_build_object('text', c.card::text, 'interfaceFingerprint', c.interface_fingerprint, 'updatedAt',
      ${isoTime('c.updated_at')})
    from robot_cards c where c.repo_id = r.id) end`

/** The header of the README.md. It can be 256 KiB long, so it is read only on request. */
export const cardDataColumn = `case when r.card_bytes > 0 then (
    select k.data from files kf join readme_cards k on k.blob_id = kf.blob_id
    where kf.repo_id = r.id and kf.path = '${README_PATH}' and kf.to_seq is null) end`

/** Why the card of a repo shows nothing while a job has not read its README.md. */
const PENDING_FAULT = 'README.md is not read yet.'

const readFacts = objectOf<CardFacts>({
  license: orNull(text),
  libraryName: orNull(text),
  pipelineTag: orNull(text),
  prettyName: orNull(text),
  fault: orNull(text),
  spellings: optional(texts),
})

/** Each model is looked up by its id: as a join, it is planned as a scan of all repos where a robot has many models. */
const policiesWhere = (condition: string) =>
  `(select count(*)::int from model_meta pm
    where ${condition} and (select ${repoVisibleSql('pr')} from repos pr where pr.id = pm.repo_id))`

/**
 * The number of model repos visible to the caller that name this robot; null for other kinds. Handle and slug have the
 * collation "C": without another for their name, no index of names is used.
 */
const policyCountColumn = `case when r.kind = 'robot' then ${policiesWhere('pm.robot_repo_id = r.id')}
    + ${policiesWhere(`pm.robot_repo_id is null and lower(pm.robot) = (o.handle || '/' || r.slug) collate "default"`)} end`

const readModelMeta = objectOf<ModelMeta>({
  policyType: text,
  baseModel: orNull(text),
  sourceRunId: orNull(text),
  controlClass: orNull(oneOf('reflex', 'skill', 'planner')),
  robot: orNull(text),
  robotRepoId: orNull(text),
  embodimentFingerprint: orNull(text),
  embodimentCheck: orNull(oneOf('match', 'mismatch', 'policy_unstamped', 'robot_undeclared')),
  updatedAt: text,
})
const readDatasetMeta = objectOf<DatasetMeta>({
  episodeCount: number,
  fps: orNull(number),
  robotType: orNull(text),
  totalFrames: number,
  updatedAt: text,
})
const readMeta = (json: unknown) => ('policyType' in object(json) ? readModelMeta(json) : readDatasetMeta(json))

/** The row of a card in a repo's row. */
export const readCard = objectOf<CardRow>({ text, interfaceFingerprint: orNull(text), updatedAt: text })

/** SQL for the commit id of the current state of the repo `r`. */
export const currentCommitId =
  'coalesce((select c.commit_id from repo_changes c where c.repo_id = r.id and c.seq = r.seq), r.empty_commit_id)'

/** The plain columns, and what takes nine subqueries of each row, with the parameters `repoViewer`. */
export const repoColumns = plainColumns.with({
  cardFacts: column.json.orNull('r.card_facts', readFacts),
  cardTags: column.json('to_json(r.card_tags)', texts),
  cardLabels: column.json('to_json(r.card_labels)', texts),
  isCardPending: column.bool('r.card_pending'),
  commitId: column.text(currentCommitId),
  /** Depends on `kind`. */
  meta: column.json.orNull(metaColumn, readMeta),
  policyCount: column.int4.orNull(policyCountColumn),
})

/** The same plus the card of a robot, which was validated when it was stored, and that of the README.md. */
export const cardedColumns = repoColumns.with({
  robotCard: column.json.orNull(cardColumn, readCard),
  cardData: column.document.orNull<unknown>(cardDataColumn),
})

/** A row of robot_cards; `text` is the card. */
export interface CardRow {
  readonly text: string
  readonly interfaceFingerprint: string | null
  readonly updatedAt: string
}

type Card = NonNullable<Repo['robotCard']>

const withDocument = computedMembers<JsonText<Card['card']>, Pick<Card, 'card'>>({ card: (document) => document.value })

/** A stored card, whose document is parsed where it is read. `putRobotCard` guarantees its type. */
export function cardOf({ text, interfaceFingerprint, updatedAt }: CardRow): Card {
  const stored = withDocument({ interfaceFingerprint, updatedAt }, new JsonText<Card['card']>(text))
  return weigh(stored, text.length)
}

/** Whether cards are read with their repos. */
export interface WithCards {
  readonly cards: boolean
}

export type RepoRow = RowOf<typeof repoColumns> & Partial<Pick<RowOf<typeof cardedColumns>, 'robotCard' | 'cardData'>>

function cardOfReadme({ cardFacts, cardTags, cardLabels, isCardPending, cardData }: RepoRow) {
  const { license = null, libraryName = null, pipelineTag = null, prettyName = null, fault = null } = cardFacts ?? {}
  const spelled = new Map((cardFacts?.spellings ?? []).map((word) => [word.toLowerCase(), word]))
  const asWritten = (words: readonly string[]) => words.map((word) => spelled.get(word) ?? word)
  return {
    ...{ license, libraryName, pipelineTag, prettyName, cardData },
    cardTags: asWritten(cardTags),
    cardLabels: asWritten(cardLabels),
    cardFault: isCardPending ? PENDING_FAULT : fault,
  }
}

class UnreadRepo extends PlainRepo {}
const unread = [
  'license',
  'libraryName',
  'pipelineTag',
  'prettyName',
  'cardTags',
  'cardLabels',
  'cardFault',
  'cardData',
  'robotCard',
  'modelMeta',
  'datasetMeta',
  'policyCount',
  'commitId',
] as const satisfies readonly (keyof Repo)[]
for (const name of unread)
  Object.defineProperty(UnreadRepo.prototype, name, {
    get() {
      throw new Error(`The ${name} of a repo is asked for, and was not read.`)
    },
  })

/** Converts a row of the plain columns, for callers who ask for nothing else: reading any other member is an error. */
export const toPlainRepo = (row: PlainRow): Repo =>
  new UnreadRepo(row) as UnreadRepo & Pick<Repo, (typeof unread)[number]>

/** Converts a row to the shape of the GraphQL type. */
export function toRepo(row: RepoRow): Repo {
  const { kind, meta } = row
  return Object.assign(new PlainRepo(row), cardOfReadme(row), {
    modelMeta: kind === 'model' ? (meta as ModelMeta | null) : null,
    datasetMeta: kind === 'dataset' ? (meta as DatasetMeta | null) : null,
    robotCard: kind === 'robot' ? row.robotCard && cardOf(row.robotCard) : null,
    policyCount: row.policyCount,
    commitId: row.commitId,
  })
}
