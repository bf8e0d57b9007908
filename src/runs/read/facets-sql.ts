/**
 * Counts of the runs that a caller sees. They are kept: `run_facets` has them by owner and creator, and
 * `run_facet_changes` what is not folded into it yet. A statement adds both in one snapshot, so a count is exact, and
 * reads as many rows as there are values and not runs.
 */
import { repoVisibleSql, runViewer, type VisibleRuns } from '../../auth/policy.ts'
import { column, columns, type RowOf } from '../../store/columns.ts'
import { insertSelected, sql } from '../../store/insert.ts'
import { composed, type NamedStatement } from '../../store/statement.ts'
import { accounts, isJob, limited, ofJob } from './list-sql.ts'

/** One value of a facet and how many of the visible runs have it. */
const facetColumns = columns({
  facet: column.text<'total' | 'kind' | 'executor' | 'status' | 'robot' | 'gated'>('facet'),
  value: column.text.orNull('min(shown)'),
  count: column.int4('sum(n)::int'),
})

export type FacetRow = RowOf<typeof facetColumns>

/** Rows `(facet, value, robot_repo_id)` of what a row of `run_facet_changes` counts; a value may be null. */
const valuesOfChange = (alias: string) =>
  `(values ('total', '', ''), ('kind', ${alias}.kind::text, ''), ('executor', ${alias}.executor::text, ''),
    ('status', ${alias}.status::text, ''), ('robot', ${alias}.robot, ${alias}.robot_repo_id),
    ('gated', ${alias}.gated::text, '')) v(facet, value, robot_repo_id)`

/**
 * A robot is shown by the name that it has now: a robot that is gone by none, and a name that the caller could not know
 * by none.
 */
const shownName = `(select holder.handle || '/' || robot.slug from repos robot
  join accounts holder on holder.id = robot.owner_id
  where robot.id = robot_repo_id and (${repoVisibleSql('robot')} or holder.handle || '/' || robot.slug = lower(value)))`

/** `counted` has rows `(facet, value, robot_repo_id, n)`. */
const facetStatement = (name: string, head: string, counted: string) =>
  composed({
    name,
    exact: 'aggregate',
    columns: facetColumns,
    params: runViewer,
    text: `${head} counted as (${counted}),
      summed as (select facet, min(value) as value, robot_repo_id, sum(n) as n
        from (select facet, value, robot_repo_id, sum(n) as n from counted
          group by facet, value, robot_repo_id having sum(n) > 0) spelled
        group by facet, lower(value), robot_repo_id)
      select ${facetColumns.sql} from (select facet, n, case when robot_repo_id = '' then value else ${shownName}
        end as shown from summed) named
      group by facet, lower(shown)`,
  })

/** Both tables for the accounts that `which` chooses. */
const keptOf = (which: string, made: string) => `select k.* from account cross join lateral (
    select f.facet, f.value, f.robot_repo_id, f.n from run_facets f where f.owner_id = account.id ${made} offset 0) k
    where ${which}
  union all select v.facet, v.value, v.robot_repo_id, k.n from account cross join lateral (
    select f.* from run_facet_changes f where f.owner_id = account.id ${made} offset 0) k
    cross join lateral ${valuesOfChange('k')} where ${which} and v.value is not null`

const byMe = 'and f.created_by = :userId and f.created_by <> f.owner_id'

const facetsOf = {
  accounts: facetStatement(
    'run-facets',
    `${accounts},`,
    `${keptOf('account.mine', '')} union all ${keptOf('not account.mine', byMe)}`,
  ),
  limited: facetStatement('run-facets-limited', 'with', fewCounted(limited)),
  job: facetStatement('run-facets-job', 'with', fewCounted([ofJob])),
}

/** Counts the runs themselves. */
function fewCounted(few: readonly string[]): string {
  const visible = few.map((condition) => `select u.id from runs u where ${condition}`).join(' union ')
  return `select v.facet, v.value, v.robot_repo_id, 1 as n from (
      select u.kind, u.executor, u.status, u.robot, coalesce(u.robot_repo_id, '') as robot_repo_id,
        coalesce(u.gate_total, 0) > 0 as gated from runs u where u.id in (${visible})) k
    cross join lateral ${valuesOfChange('k')} where v.value is not null`
}

/** Counts over every run that the caller can see; those of a limited key and of a job are counted one by one. */
export function runFacetStatement(viewer: VisibleRuns): NamedStatement<FacetRow, VisibleRuns> {
  if (viewer.repoIds !== null) return facetsOf.limited
  return isJob(viewer) ? facetsOf.job : facetsOf.accounts
}

const foldedColumns = columns({ taken: column.int4('(select count(*)::int from taken)') })

const folded = insertSelected('run_facets as f', {
  ownerId: sql('owner_id'),
  createdBy: sql('created_by'),
  facet: sql('facet'),
  value: sql('value'),
  robotRepoId: sql('robot_repo_id'),
  n: sql('n'),
})

/** Adds some of the changes to the counts, the oldest first; another fold that runs meanwhile takes others. */
export const foldRunFacets = (batch: number) =>
  composed({
    name: 'run-facets-fold',
    columns: foldedColumns,
    params: {},
    text: `with taken as (delete from run_facet_changes where id = any(array(
        select id from run_facet_changes order by id limit ${batch} for update skip locked)) returning *),
      counted as (select t.owner_id, t.created_by, v.facet, v.value, v.robot_repo_id, sum(t.n) as n
        from taken t cross join lateral ${valuesOfChange('t')} where v.value is not null
        group by t.owner_id, t.created_by, v.facet, v.value, v.robot_repo_id having sum(t.n) <> 0),
      kept as (${folded.sql} from counted order by 1, 2, 3, 4, 5
        on conflict (owner_id, created_by, facet, value, robot_repo_id) do update set n = f.n + excluded.n)
      select ${foldedColumns.sql}`,
  })
