/** The endpoints of model repos, and those of accounts. Pages for any number of these at once. */
import { billedViewer, visibleRuns } from '../../auth/policy.ts'
import type { RequestContext } from '../../operation/context.ts'
import type { Page } from '../../platform/page.ts'
import { param, statement } from '../../store/statement.ts'
import { relatedColumns, relatedJobs, relatedPageSql } from '../../work/related-jobs.ts'
import { endpointJob } from '../endpoint-job.ts'
import type { Endpoint } from '../endpoint-shape.ts'
import { endpointsOfAccount, endpointsOfRepo, pageParams } from './endpoint-streams.ts'
import { getEndpointsById } from './get-endpoint.ts'
import type { ListEndpointsInput } from './list-endpoints.ts'

export type RelatedEndpointsInput = Pick<ListEndpointsInput, 'status' | 'executor' | 'first' | 'after'>

const params = { ...billedViewer, ...pageParams, of: param.texts() }

/** What clients write of an endpoint is bounded by rules: a page of them is small. */
const pageOf = (ids: string) =>
  relatedPageSql(`select id, 0 as bytes from (${ids} order by id desc limit :limit::int) seen order by id desc`)

const ofRepos = statement({
  name: 'repo-endpoints-page',
  exact: 'per-parent',
  columns: relatedColumns,
  params,
  text: pageOf(endpointsOfRepo()),
})
const ofAccounts = statement({
  name: 'account-endpoints-page',
  exact: 'per-parent',
  columns: relatedColumns,
  params,
  text: pageOf(endpointsOfAccount()),
})

/**
 * Endpoints of each model repo. Two statements: the ids of all pages, then their endpoints. Errors: 422 a cursor of
 * another listing.
 */
export function endpointsOfRepos(ctx: RequestContext, repoIds: readonly string[], input: RelatedEndpointsInput) {
  return relatedEndpoints(ctx, { page: ofRepos, relation: 'repo', of: repoIds }, input)
}

/** Endpoints that are billed to each account: the same. */
export function endpointsOfAccounts(ctx: RequestContext, accountIds: readonly string[], input: RelatedEndpointsInput) {
  return relatedEndpoints(ctx, { page: ofAccounts, relation: 'account', of: accountIds }, input)
}

function relatedEndpoints(
  ctx: RequestContext,
  { page, relation, of }: { readonly page: typeof ofRepos; readonly relation: string; readonly of: readonly string[] },
  { status = null, executor = null, first, after }: RelatedEndpointsInput,
): Promise<Page<Endpoint>[]> {
  const viewer = visibleRuns(ctx.viewer)
  return relatedJobs(ctx, {
    job: endpointJob,
    listing: `endpoints-of-${relation}:${JSON.stringify([status, executor])}`,
    of,
    first,
    after,
    rows: (after, limit) => ctx.deps.db.query(page, { ...viewer, of, after, limit, status, executor }),
    byId: getEndpointsById,
  })
}
