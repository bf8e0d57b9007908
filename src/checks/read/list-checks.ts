/**
 * listRobotChecks (spec, "GET /v1/robot-checks"): a keyset page of the checks that the caller can see, newest first.
 * One statement.
 */

import { DEFAULT_PAGE_SIZE } from '@hub/formats/text-rules'
import type { ChangedList } from '../../accounts/changes/shared-changes.ts'
import { runViewer, visibleRuns } from '../../auth/policy.ts'
import type { RequestContext } from '../../operation/context.ts'
import { decodeCursor, encodeCursor, idPart, type Page } from '../../platform/page.ts'
import { repoNamed } from '../../repos/named-repo.ts'
import { column } from '../../store/columns.ts'
import { composed, param } from '../../store/statement.ts'
import type { JobExecutor } from '../../work/held-job.ts'
import type { JobStatus } from '../../work/job-state.ts'
import { checkColumns, checkTables, type RobotCheck, toCheck } from '../check-shape.ts'
import { MAX_PAGE_BYTES } from '../limits.ts'
import { checkOfJob, pageParams, visibleChecks, writtenBytes } from './check-streams.ts'
import { getChecksById } from './get-check.ts'

export interface ListChecksInput {
  /** `owner/slug`: the robot repo that has this name now. */
  readonly robotRepo?: string | null
  readonly status?: JobStatus | null
  readonly executor?: JobExecutor | null
  readonly first?: number | null
  readonly after?: string | null
}

const listedColumns = checkColumns.with({ found: column.int4('page.found') })

const params = { ...runViewer, ...pageParams, robotRepo: param.text.orNull() }

const anyCheck = visibleChecks({ place: {}, narrowedBy: [] })
const byStatus = visibleChecks({ place: {}, narrowedBy: ['status', 'executor'] })
const robotRepoId = repoNamed(':robotRepo::text', 'robot')
const byRobot = visibleChecks({ place: { robot_repo_id: robotRepoId }, narrowedBy: ['status', 'executor'] })

/** The rows of the page up to `MAX_PAGE_BYTES`, each with the row count without that limit. */
const pageOf = (visible: string, ofJob: string) => `select id, found from (
    select id, count(*) over ()::int as found,
      sum(bytes) over (order by id desc rows between unbounded preceding and 1 preceding) as before
    from (select listed.id, (select ${writtenBytes('s')} from robot_checks s where s.id = listed.id) as bytes
      from (select id from (${visible} union ${checkOfJob(ofJob)}) seen
        order by id desc limit :limit::int) listed) weighed) sized
  where before is null or before < ${MAX_PAGE_BYTES}`

const listing = (variant: string, visible: string, ofJob = 'true') =>
  composed({
    name: `robot-checks-page${variant}`,
    exact: 'hot',
    columns: listedColumns,
    params,
    text: `select ${listedColumns.sql} from (${pageOf(visible, ofJob)}) page join (${checkTables}) on u.id = page.id
      order by page.id desc`,
  })

const pages = {
  any: listing('', anyCheck),
  byStatus: listing('-by-status', byStatus),
  byRobot: listing('-by-robot', byRobot, `u.robot_repo_id = ${robotRepoId}`),
}

/** The statement for these filters: each has an index. */
function pageFor({ robotRepo, status, executor }: ListChecksInput): typeof pages.any {
  if (robotRepo != null) return pages.byRobot
  return status == null && executor == null ? pages.any : pages.byStatus
}

/**
 * One page, shorter than requested if its checks are large; 422 for a cursor of another listing, empty for a name that
 * no robot has.
 */
export async function listChecks(ctx: RequestContext, input: ListChecksInput): Promise<Page<RobotCheck>> {
  const { robotRepo = null, status = null, executor = null } = input
  const name = `robot-checks:${JSON.stringify([robotRepo, status, executor])}`
  const [after] = input.after ? decodeCursor<[string]>(name, input.after, [idPart('check')]) : [null]
  const limit = input.first ?? DEFAULT_PAGE_SIZE
  const values = { ...visibleRuns(ctx.viewer), robotRepo, status, executor, after, limit: limit + 1 }
  const rows = await ctx.deps.db.query(pageFor(input), values)
  const nodes = rows.slice(0, limit).map(({ found: _found, ...row }) => toCheck(row))
  return {
    nodes,
    hasNextPage: (rows[0]?.found ?? 0) > nodes.length,
    cursorOf: (check) => encodeCursor(name, [check.id]),
  }
}

/** How `followChanges` follows the list of an account's checks. A check is never deleted. */
export const changedChecks: ChangedList<RobotCheck> = { kind: 'robot_check', wokenBy: 'check', byId: getChecksById }
