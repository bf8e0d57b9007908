/** listRobotChecks (spec, "GET /v1/robot-checks"): a keyset page of the checks that the caller can see, newest first. One statement. */
import { ownRunSql, runViewer, runVisibleSql, visibleRuns } from '../../auth/policy.ts'
import type { RequestContext } from '../../operation/context.ts'
import { decodeCursor, encodeCursor, idPart, type Page } from '../../platform/page.ts'
import { DEFAULT_PAGE_SIZE } from '../../platform/text-rules.ts'
import { column } from '../../store/columns.ts'
import { composed, param } from '../../store/statement.ts'
import type { JobExecutor } from '../../work/held-job.ts'
import type { JobStatus } from '../../work/job-status.ts'
import { checkColumns, checkTables, type RobotCheck, toCheck } from '../check-shape.ts'
import { MAX_PAGE_BYTES } from '../limits.ts'

export interface ListChecksInput {
  /** `owner/slug`, as the check names it. */
  readonly robotRepo?: string | null
  readonly status?: JobStatus | null
  readonly executor?: JobExecutor | null
  readonly first?: number | null
  readonly after?: string | null
}

const listedColumns = checkColumns.with({ found: column<number>('page.found') })

const params = {
  ...runViewer,
  robotRepo: param<string | null>(),
  status: param<JobStatus | null>(),
  executor: param<JobExecutor | null>(),
  after: param<string | null>(),
  limit: param<number>(),
}

const wanted = `(:status::text is null or u.status = :status::"JobStatus")
  and (:executor::text is null or u.executor = :executor::"RunExecutor")
  and (:robotRepo::text is null or u.robot_repo_name = :robotRepo)
  and (:after::text is null or u.id < :after)`

const stream = (source: string, condition: string) =>
  `select mine.id from ${source} cross join lateral (select u.id from robot_checks u where ${condition} and ${wanted}
    order by u.id desc limit :limit::int) mine`

/** Each of the caller's accounts in the order of an index, and what the caller made for others: a page costs the same however many checks there are. */
const ofAccounts = `${stream('unnest(:accountIds::text[]) account(id)', `u.owner_id = account.id and ${runVisibleSql('u')}`)}
  union ${stream('(values (1)) once', `u.created_by = :userId and u.created_by <> u.owner_id and ${runVisibleSql('u')}`)}`
/** The key of a hosted job sees the check that it is for. */
const ofJob = `select u.id from robot_checks u where u.id = :credentialId and ${ownRunSql('u')} is not true and ${wanted}`

/** Bytes that clients wrote of the check `alias`, which bound a page. */
export const writtenBytes = (alias: string) =>
  ['log_tail', 'report::text', 'card::text', 'draft::text', 'intake::text']
    .map((member) => `coalesce(octet_length(${alias}.${member}), 0)`)
    .join(' + ')

/** The rows of the page up to the bound on its size, each with how many there are without it. */
const page = `select id, found from (
    select id, count(*) over ()::int as found, sum(bytes) over (order by id desc rows between unbounded preceding and 1 preceding) as before
    from (select listed.id, (select ${writtenBytes('s')} from robot_checks s where s.id = listed.id) as bytes
      from (select id from (${ofAccounts} union ${ofJob}) seen order by id desc limit :limit::int) listed) weighed) sized
  where before is null or before < ${MAX_PAGE_BYTES}`

const listChecksPage = composed({
  name: 'robot-checks-page',
  columns: listedColumns,
  params,
  text: `select ${listedColumns.sql} from (${page}) page join (${checkTables}) on u.id = page.id order by page.id desc`,
})

/** One page, shorter than asked for where its checks are large; 422 for a cursor of another listing, empty for a robot that no check names. */
export async function listChecks(ctx: RequestContext, input: ListChecksInput): Promise<Page<RobotCheck>> {
  const { robotRepo = null, status = null, executor = null } = input
  const listing = `robot-checks:${JSON.stringify([robotRepo, status, executor])}`
  const [after] = input.after ? decodeCursor<[string]>(listing, input.after, [idPart('check')]) : [null]
  const limit = input.first ?? DEFAULT_PAGE_SIZE
  const values = { ...visibleRuns(ctx.viewer), robotRepo, status, executor, after, limit: limit + 1 }
  const rows = await ctx.deps.db.query(listChecksPage, values)
  const nodes = rows.slice(0, limit).map(({ found: _found, ...row }) => toCheck(row))
  return {
    nodes,
    hasNextPage: (rows[0]?.found ?? 0) > nodes.length,
    cursorOf: (check) => encodeCursor(listing, [check.id]),
  }
}
