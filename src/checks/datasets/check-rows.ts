/** The check of a data set as a row: one for each repo, with its last report. */
import { column, columns, type RowOf } from '../../store/columns.ts'
import type { Querier } from '../../store/db.ts'
import { param, statement } from '../../store/statement.ts'
import { type LeasedKind, leasedColumns } from '../../work/leased-row.ts'
import type { DatasetReport } from './report-shape.ts'

/** Of `d`, its repo `r` and the repo's owner `o`. */
const checkColumns = columns({
  ...leasedColumns('d'),
  ownerId: column.text('r.owner_id'),
  cause: column.enum('DatasetCheckCause', 'd.cause'),
  episodesDone: column.int4('d.episodes_done'),
  episodesTotal: column.int4.orNull('d.episodes_total'),
  reportSeq: column.int4.orNull('d.report_seq'),
  reportAt: column.timestamptz.orNull('d.report_at'),
  /** Whether the files have changed since the report. */
  isOutdated: column.bool('coalesce(d.report_seq < r.seq, false)'),
})

/** The check of a data set: what is asked or done now, and of what the last report is. */
export type DatasetCheck = RowOf<typeof checkColumns>

const ofRepos = statement({
  name: 'dataset-checks-of-repos',
  exact: 'verb-answer',
  columns: checkColumns,
  params: { repoIds: param.texts() },
  text: `select ${checkColumns.sql} from dataset_checks d join repos r on r.id = d.repo_id
    join accounts o on o.id = r.owner_id where d.repo_id = any(:repoIds::text[])`,
})

/** The checks of repos that the caller can see, in the order requested; null where there was none. One statement. */
export async function checksOfRepos(querier: Querier, repoIds: readonly string[]): Promise<(DatasetCheck | null)[]> {
  const found = new Map((await querier.query(ofRepos, { repoIds })).map((check) => [check.repoId, check]))
  return repoIds.map((id) => found.get(id) ?? null)
}

/** The check of a repo that has one. */
export async function readCheck(querier: Querier, repoId: string): Promise<DatasetCheck> {
  const [check] = await checksOfRepos(querier, [repoId])
  if (!check) throw new Error('The data set has no check.')
  return check
}

const reportColumns = columns({
  repoId: column.text('d.repo_id'),
  report: column.document<DatasetReport>('d.report'),
})

const reports = statement({
  name: 'dataset-check-reports',
  exact: 'client-json',
  columns: reportColumns,
  params: { repoIds: param.texts() },
  text: `select ${reportColumns.sql} from dataset_checks d
    where d.repo_id = any(:repoIds::text[]) and d.report is not null`,
})

/** The last reports of repos that the caller can see; null where none ended. One statement. */
export async function reportsOfRepos(querier: Querier, repoIds: readonly string[]): Promise<(DatasetReport | null)[]> {
  const found = new Map((await querier.query(reports, { repoIds })).map(({ repoId, report }) => [repoId, report.value]))
  return repoIds.map((id) => found.get(id) ?? null)
}

/** Checks of data sets among the work that workers lease. */
export const checkWork: LeasedKind<DatasetCheck> = {
  topic: 'dataset-checks',
  plural: 'checks',
  nameOf: ({ repo }) => `the check of ${repo}`,
}
