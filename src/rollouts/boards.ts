/** Boards: the results of all models on one robot under the same conditions, by what is sure of them. */
import { repoViewer, visibleRepos } from '../auth/policy.ts'
import type { RequestContext } from '../operation/context.ts'
import { decodeCursor, encodeCursor, idPart, type KeyPart, type Page } from '../platform/page.ts'
import { column, columns, type RowOf } from '../store/columns.ts'
import { param, statement } from '../store/statement.ts'
import { type Rollout, rolloutColumns, rolloutParties, seenBranches } from './rollout-rows.ts'

const boardColumns = columns({
  robotRepoId: column.text('b.robot_repo_id'),
  task: column.text('b.task'),
  fingerprint: column.text('b.fingerprint'),
  results: column.int8('b.results'),
  latestAt: column.timestamptz('b.latest_at'),
})

/** What the models of a robot are compared under. */
export type Board = RowOf<typeof boardColumns>

/** A board, or the last one that a page looks at, which the search does not find. */
const walkedColumns = boardColumns.with({
  latestAt: column.timestamptz.orNull('b.latest_at'),
  endsHere: column.bool('b.ends_here'),
})

/** Results of a board that are counted: this number stands for as many or more. */
const MAX_COUNTED = 1000

/** Boards that a page looks at, of each account and of what is public: a task that is not searched for counts once. */
export const BOARDS_LOOKED_AT = 1000

const ofBoard = 'c.robot_repo_id = q.repo_id'
const isFound = (task: string) => `(:q::text is null or strpos(lower(${task}), lower(:q)) > 0)`
const nextColumns = `c.task, c.fingerprint, ${isFound('c.task')} as is_found`
const nextBoard = (isSeen: string, by: string, after: string) => `select ${nextColumns} from rollouts c
          where ${ofBoard} and ${isSeen} and (c.task, c.fingerprint) > (${after})
          order by ${by}c.task, c.fingerprint limit 1`

/** After all boards of a task that the search does not find: no fingerprint is greater than this. */
const afterBoard = `b.task, case when b.is_found then b.fingerprint else 'g' end`

/**
 * The boards of a branch, the first ones by task: from one to the next in an index, and the newest results of each. A
 * search reads no results of what it does not find, and ends after so many boards whatever they are called.
 */
const boardsOf = (isSeen: string, by: string) => `with recursive board(task, fingerprint, is_found, nth, hits) as (
          select n.task, n.fingerprint, n.is_found, 1, n.is_found::int
          from (${nextBoard(isSeen, by, ':afterTask, :afterFingerprint')}) n
          union all select n.task, n.fingerprint, n.is_found, b.nth + 1, b.hits + n.is_found::int
          from board b cross join lateral (${nextBoard(isSeen, by, afterBoard)}) n
          where b.hits < (select :limit::bigint) and b.nth < ${BOARDS_LOOKED_AT})
        select b.task, b.fingerprint, x.results, x.latest_at, b.nth = ${BOARDS_LOOKED_AT} as ends_here
        from board b cross join lateral (
          select count(*) as results, max(n.created_at) as latest_at from (select c.created_at from rollouts c
            where b.is_found and ${ofBoard} and ${isSeen} and c.task = b.task and c.fingerprint = b.fingerprint
            order by ${by}c.created_at desc limit ${MAX_COUNTED}) n) x
        where b.is_found or b.nth = ${BOARDS_LOOKED_AT}`

/** A page of boards of each robot, which the caller sees, and of each branch where it was left. */
export const boardsPage = statement({
  name: 'rollout-boards-page',
  exact: 'aggregate',
  columns: walkedColumns,
  params: {
    ...repoViewer,
    robotIds: param.texts(),
    q: param.text.orNull(),
    afterTask: param.text(),
    afterFingerprint: param.text(),
    limit: param.int8(),
  },
  text: `select ${walkedColumns.sql} from unnest(:robotIds::text[]) as q(repo_id)
    cross join lateral (select q.repo_id as robot_repo_id, s.task, s.fingerprint,
        least(sum(s.results), ${MAX_COUNTED})::bigint as results, max(s.latest_at) as latest_at,
        bool_or(s.ends_here) as ends_here
      from (${seenBranches(boardsOf)}) s
      group by s.task, s.fingerprint order by s.task, s.fingerprint limit :limit::bigint) b
    order by b.robot_repo_id, b.task, b.fingerprint`,
})

/**
 * Each policy of a model once: by its newest version that has a result, and of those the one with most seeds, from the
 * lowest one, the oldest (`is_entry`). Another choice would let a model try seeds until some of them please.
 */
const entriesOf = (isSeen: string, by: string) => `select c.*, o.handle || '/' || r.slug as name from rollouts c
        join repos r on r.id = c.model_repo_id join accounts o on o.id = r.owner_id
        where c.robot_repo_id = q.repo_id and c.fingerprint = :fingerprint and ${isSeen} and c.is_entry
          and c.lowest <= :afterLowest
          and (c.lowest < :afterLowest or (o.handle || '/' || r.slug, c.id) > (:afterName, :afterId))
        order by ${by}c.lowest desc, name, c.id limit :limit::bigint`

/** A page of entries of one board of each robot, which the caller sees. */
export const entriesPage = statement({
  name: 'rollout-board-entries',
  exact: 'per-parent',
  columns: rolloutColumns,
  params: {
    ...repoViewer,
    robotIds: param.texts(),
    fingerprint: param.text(),
    afterLowest: param.float8(),
    afterName: param.text(),
    afterId: param.text(),
    limit: param.int8(),
  },
  text: `select ${rolloutColumns.sql} from unnest(:robotIds::text[]) as q(repo_id)
    cross join lateral (select s.* from (${seenBranches(entriesOf)}) s
      order by s.lowest desc, s.name, s.id limit :limit::bigint) x
    ${rolloutParties} order by x.robot_repo_id, x.lowest desc, x.name, x.id`,
})

interface PageInput {
  readonly limit: number
  readonly after: string | null
}

const isText = (part: KeyPart): part is string => typeof part === 'string'
const isRate = (part: KeyPart): part is number => typeof part === 'number'

export interface BoardsInput extends PageInput {
  /** Only boards with this text in the name of their task, in any case; null for all. */
  readonly q: string | null
}

/**
 * The boards of each robot, by task; with a search a page may be short, even empty, and the next one goes on. One
 * statement. 422 `validation.cursor`.
 */
export async function boardsOfRepos(
  { deps, viewer }: RequestContext,
  robotIds: readonly string[],
  { q, limit, after }: BoardsInput,
): Promise<Page<Board>[]> {
  const listing = q === null ? 'rollout-boards' : `rollout-boards:${q}`
  const [afterTask, afterFingerprint] =
    after === null ? ['', ''] : decodeCursor<[string, string]>(listing, after, [isText, isText])
  const asked = { robotIds, q, afterTask, afterFingerprint, limit: limit + 1 }
  const rows = await deps.db.query(boardsPage, { ...visibleRepos(viewer), ...asked })
  const byRobot = Map.groupBy(rows, (row) => row.robotRepoId)
  const cursorOf = ({ task, fingerprint }: Pick<Board, 'task' | 'fingerprint'>) =>
    encodeCursor(listing, [task, fingerprint])
  return robotIds.map((id) => {
    const walked = byRobot.get(id) ?? []
    // After the first place where a branch was left, boards of that branch are missing.
    const last = walked.findIndex(({ endsHere }) => endsHere)
    const found = (last < 0 ? walked : walked.slice(0, last + 1)).flatMap(({ endsHere: _, latestAt, ...board }) =>
      latestAt === null ? [] : [{ ...board, latestAt }],
    )
    const end = found.length > limit ? undefined : walked[last]
    const nodes = found.slice(0, limit)
    return {
      nodes,
      hasNextPage: found.length > limit || end !== undefined,
      cursorOf,
      endsAfter: end && cursorOf(end),
    }
  })
}

/** The entries of a board of each robot: by the lower end of their interval, ties by name. One statement. */
export async function entriesOfBoard(
  { deps, viewer }: RequestContext,
  robotIds: readonly string[],
  { fingerprint, limit, after }: PageInput & { readonly fingerprint: string },
): Promise<Page<Rollout>[]> {
  const listing = `rollout-board:${fingerprint}`
  const [afterLowest, afterName, afterId] =
    after === null
      ? [2, '', '']
      : decodeCursor<[number, string, string]>(listing, after, [isRate, isText, idPart('roll')])
  const asked = { robotIds, fingerprint, afterLowest, afterName, afterId, limit: limit + 1 }
  const rows = await deps.db.query(entriesPage, { ...visibleRepos(viewer), ...asked })
  const byRobot = Map.groupBy(rows, (row) => row.robotRepoId)
  return robotIds.map((id) => {
    const found = byRobot.get(id) ?? []
    return {
      nodes: found.slice(0, limit),
      hasNextPage: found.length > limit,
      cursorOf: ({ lowest, model, id }) => encodeCursor(listing, [lowest, model, id]),
    }
  })
}
