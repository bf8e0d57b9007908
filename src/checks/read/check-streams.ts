/**
 * The checks that a caller sees, as streams in index order: those of each account, and those that the person made for
 * other accounts.
 */
import { runListedSql } from '../../auth/policy.ts'
import { param } from '../../store/statement.ts'
import type { JobExecutor } from '../../work/held-job.ts'
import type { JobStatus } from '../../work/job-state.ts'
import { newestOf } from '../../work/newest-of.ts'
import type { CheckKind } from '../check-shape.ts'

/** The parameters of a page. */
export const pageParams = {
  status: param.text.orNull<JobStatus>(),
  executor: param.text.orNull<JobExecutor>(),
  /** The last check of the previous page. */
  after: param.text.orNull(),
  limit: param.int4(),
}

export const kindParam = param.text.orNull<CheckKind>()

const wordOf = (column: string, type: string, filter: string) =>
  `(select word from unnest(enum_range(null::"${type}")) word where :${filter}::text is null
    or word = :${filter}::"${type}") ${column}(word)`

/**
 * Each of these columns has few values. With filters, every combination of values that they allow is a stream, so that
 * no check is read and discarded.
 */
const narrowing = {
  kind: wordOf('kind', 'RobotCheckKind', 'kind'),
  status: wordOf('status', 'JobStatus', 'status'),
  executor: wordOf('executor', 'RunExecutor', 'executor'),
}

export type Narrowing = keyof typeof narrowing

/** The default sorts after every check id, since a digit follows the prefix of an id. */
const before = `coalesce(:after::text, 'check_z')`
/** SQL condition: the check `u` of the viewer's accounts is visible, also to a key limited to repos. */
const seenByKey = `(:repoIds::text[] is null or u.filed_by = :credentialId or ${runListedSql('u')})`

export interface VisibleStreams {
  /** Columns that follow the account or the person in the index, with their values. */
  readonly place: Readonly<Record<string, string>>
  /** The filters that follow them, in the order of the index. */
  readonly narrowedBy: readonly Narrowing[]
  readonly condition?: string
  /** SQL value: only checks of this account; absent: all checks that the caller sees. */
  readonly account?: string
}

/**
 * SQL that selects ids, at most `:limit` of each stream. Of accounts that are not the caller's, only the checks that
 * the person made for them are read. The conditions on `repo_ids` and `filed_by` concern only limited keys: for these,
 * other checks of their accounts may be read and discarded.
 */
export function visibleChecks({ place, narrowedBy, condition = 'true', account }: VisibleStreams): string {
  const words = narrowedBy.map((name) => ` cross join ${narrowing[name]}`).join('')
  const narrowed = Object.fromEntries(narrowedBy.map((name) => [name, `${name}.word`]))
  const of = (source: string, viewer: string, ofViewer: string) => {
    const stream = {
      table: 'robot_checks',
      of: `${source}${words}`,
      place: { [viewer]: `${viewer}.id`, ...place, ...narrowed },
      condition: `${ofViewer} and ${seenByKey} and ${condition}`,
    }
    return newestOf(stream, before)
  }
  const madeForOthers = 'u.created_by <> u.owner_id'
  if (account === undefined)
    return `${of('unnest(:accountIds::text[]) owner_id(id)', 'owner_id', 'true')}
    union ${of('(values (:userId::text)) created_by(id)', 'created_by', madeForOthers)}`
  // For an account that is not the caller's, all checks that the person made for others may be read: at most as many as
  // they made themselves.
  return `${of(`(select ${account} where ${account} = any(:accountIds::text[])) owner_id(id)`, 'owner_id', 'true')}
    union ${of(`(select :userId::text where ${account} <> all(:accountIds::text[])) created_by(id)`, 'created_by', `${madeForOthers} and u.owner_id = ${account}`)}`
}

/** SQL for the one check that a hosted job's key sees: its own. */
export const checkOfJob = (
  condition: string,
) => `select u.id from robot_checks u where u.id = :credentialId and ${condition}
  and (:status::text is null or u.status = :status::"JobStatus")
  and (:executor::text is null or u.executor = :executor::"RunExecutor")
  and u.id < ${before}`

/** SQL for the number of client-supplied bytes of the check `alias`, which limits a page. */
export const writtenBytes = (alias: string) =>
  ['log_tail', 'report::text', 'card::text', 'draft::text', 'intake::text']
    .map((member) => `coalesce(octet_length(${alias}.${member}), 0)`)
    .join(' + ')
