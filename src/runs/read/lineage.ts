/**
 * The runs that produced a model, and the runs that use a repo, in pages for any number of repos at once.
 * Contract, "Lineage".
 */
import type { RequestContext } from '../../operation/context.ts'
import type { Page } from '../../platform/page.ts'
import { param, statement } from '../../store/statement.ts'
import { relatedColumns } from '../../work/related-jobs.ts'
import {
  pagesOfRuns,
  type RelatedRunsInput,
  relatedParams,
  runPageSql,
  runsReferring,
  wantedRun,
} from './related-runs.ts'
import { type Run, visibleRun } from './run-shape.ts'

/** How a run uses a repo: pinned as its dataset, named as its robot, or as the model of a run that it continues. */
export type RunUse = 'dataset' | 'robot' | 'parent'

export interface RunsUsingInput extends RelatedRunsInput {
  readonly as?: RunUse | null
}

/**
 * SQL for the source run in the meta block of the model `key`. The model's owner named it, or a run that succeeded
 * recorded itself.
 */
const sourceRun = (condition: string) =>
  `select u.id from model_meta m join runs u on u.id = m.source_run_id where m.repo_id = key.id and ${condition}`
const isOlder = '(:after::text is null or u.id < :after)'

const producers = statement({
  name: 'repo-producers-page',
  exact: 'per-parent',
  columns: relatedColumns,
  params: relatedParams,
  text: runPageSql(`${runsReferring({ reasons: ['output'], condition: wantedRun, extent: 'page' })}
      union all ${sourceRun(`${isOlder} and ${wantedRun}`)}`),
})

/**
 * SQL for the forks of the runs that produced the model and that the caller sees too. A model has few producers, so at
 * most one page of forks is read for each, in index order.
 */
const continued = `select fork.id from (${runsReferring({ reasons: ['output'], condition: visibleRun, extent: 'all' })}
        union ${sourceRun(visibleRun)}) producer cross join lateral (
          select u.id from runs u where u.parent_run_id = producer.id and ${isOlder} and ${wantedRun}
            order by u.id desc limit :limit::int) fork
      where :as::text is null or :as = 'parent'`

const users = statement({
  name: 'repo-users-page',
  exact: 'per-parent',
  columns: relatedColumns,
  params: { ...relatedParams, as: param.text.orNull<RunUse>() },
  text: runPageSql(`${runsReferring({ reasons: ['dataset', 'robot'], condition: wantedRun, as: ':as', extent: 'page' })}
      union all ${continued}`),
})

/**
 * The runs that a model repo comes from, newest first: the runs that publish to it, and the run that its meta block
 * names. Two statements.
 */
export function producersOfRepos(
  ctx: RequestContext,
  repoIds: readonly string[],
  input: RelatedRunsInput,
): Promise<Page<Run>[]> {
  return pagesOfRuns(ctx, { relation: 'producers', of: repoIds }, input, (values) =>
    ctx.deps.db.query(producers, values),
  )
}

/**
 * The runs that use each repo, newest first. A fork counts only if the caller also sees the run that it continues. Two
 * statements.
 */
export function runsUsingRepos(
  ctx: RequestContext,
  repoIds: readonly string[],
  { as = null, ...input }: RunsUsingInput,
): Promise<Page<Run>[]> {
  const pages = { relation: `users:${as}`, of: repoIds }
  return pagesOfRuns(ctx, pages, input, (values) => ctx.deps.db.query(users, { ...values, as }))
}
