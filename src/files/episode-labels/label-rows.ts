/** What people said of the episodes of a data set, as rows: each change of an episode is a new one. */

import { readAccount } from '../../auth/account-json.ts'
import { column, columns, type RowOf } from '../../store/columns.ts'
import type { Querier } from '../../store/db.ts'
import { each, insertEach } from '../../store/insert.ts'
import { param, statement } from '../../store/statement.ts'

export const labelColumns = columns({
  id: column.text('l.id'),
  repoId: column.text('l.repo_id'),
  episode: column.int4('l.episode'),
  choice: column.enum.orNull('EpisodeChoice', 'l.choice'),
  outcome: column.enum.orNull('EpisodeOutcome', 'l.outcome'),
  note: column.text.orNull('l.note'),
  isCurrent: column.bool('l.is_current'),
  previousId: column.text.orNull('l.previous_id'),
  undoneId: column.text.orNull('l.undone_id'),
  createdAt: column.timestamptz('l.created_at'),
  ownerId: column.text('(select r.owner_id from repos r where r.id = l.repo_id)'),
  /** Null if the credential has no person. Only members of an org may know its people: `personFor`. */
  creator: column.json.orNull(
    `(select json_build_object('id', a.id, 'kind', a.kind, 'handle', a.handle, 'name', a.name) from accounts a where a.id = l.created_by)`,
    readAccount,
  ),
})

/** A label of an episode, the current one or one that was. */
export type EpisodeLabel = RowOf<typeof labelColumns>

/** What a label says. */
export type LabelContent = Pick<EpisodeLabel, 'choice' | 'outcome' | 'note'>

const current = statement({
  name: 'episode-labels-current',
  exact: 'in-transaction',
  columns: labelColumns,
  params: { repoId: param.text(), episodes: param.int4s() },
  text: `select ${labelColumns.sql} from episode_labels l
    where l.repo_id = :repoId and l.episode = any(:episodes::int4[]) and l.is_current order by l.episode`,
})

const byIds = statement({
  name: 'episode-labels-by-id',
  exact: 'in-transaction',
  columns: labelColumns,
  params: { repoId: param.text(), ids: param.texts() },
  text: `select ${labelColumns.sql} from episode_labels l where l.id = any(:ids::text[]) and l.repo_id = :repoId
    order by l.episode`,
})

const replaceCurrent = statement({
  name: 'episode-labels-replace',
  params: { repoId: param.text(), episodes: param.int4s() },
  text: `update episode_labels set is_current = false
    where repo_id = :repoId and episode = any(:episodes::int4[]) and is_current`,
})

type Texts = readonly (string | null)[]

const labelRows = insertEach('episode_labels', {
  id: each('ids', param.texts()),
  repoId: param.text(),
  episode: each('episodes', param.int4s()),
  choice: each('choices', param.texts<Texts>(), 'EpisodeChoice'),
  outcome: each('outcomes', param.texts<Texts>(), 'EpisodeOutcome'),
  note: each('notes', param.texts<Texts>()),
  previousId: each('previous', param.texts<Texts>()),
  undoneId: each('undone', param.texts<Texts>()),
  createdBy: param.text.orNull(),
})

const insert = statement({ name: 'episode-labels-insert', params: labelRows.params, text: labelRows.sql })

/** The current labels of these episodes, in their order. */
export const currentLabels = (tx: Querier, repoId: string, episodes: readonly number[]): Promise<EpisodeLabel[]> =>
  tx.query(current, { repoId, episodes })

/** Labels of a repo by their ids, in the order of their episodes. */
export const labelsById = (tx: Querier, repoId: string, ids: readonly string[]): Promise<EpisodeLabel[]> =>
  tx.query(byIds, { repoId, ids })

/** A label that replaces what is current of its episode. */
export interface NewLabel extends LabelContent {
  readonly id: string
  readonly episode: number
  readonly previousId: string | null
  readonly undoneId: string | null
}

/** The caller has locked the repo. Two statements; none without labels. */
export async function replaceLabels(
  tx: Querier,
  { repoId, createdBy }: { readonly repoId: string; readonly createdBy: string | null },
  labels: readonly NewLabel[],
): Promise<void> {
  if (labels.length === 0) return
  const episodes = labels.map(({ episode }) => episode)
  await tx.query(replaceCurrent, { repoId, episodes })
  await tx.query(insert, {
    ...{ repoId, createdBy, episodes },
    ids: labels.map(({ id }) => id),
    choices: labels.map(({ choice }) => choice),
    outcomes: labels.map(({ outcome }) => outcome),
    notes: labels.map(({ note }) => note),
    previous: labels.map(({ previousId }) => previousId),
    undone: labels.map(({ undoneId }) => undoneId),
  })
}
