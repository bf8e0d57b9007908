/** listEndpoints (spec, "GET /v1/endpoints"): a keyset page of the endpoints that the caller can see, newest first. */

import { DEFAULT_PAGE_SIZE } from '@hub/formats/text-rules'
import type { ChangedList } from '../../accounts/changes/shared-changes.ts'
import { billedViewer, type VisibleRuns, visibleRuns } from '../../auth/policy.ts'
import type { RequestContext } from '../../operation/context.ts'
import { decodeCursor, encodeCursor, idPart, type Page } from '../../platform/page.ts'
import { repoNamed } from '../../repos/named-repo.ts'
import { composed, param } from '../../store/statement.ts'
import type { JobExecutor } from '../../work/held-job.ts'
import { type Endpoint, endpointColumns, endpointTables, toEndpoint } from '../endpoint-shape.ts'
import type { EndpointStatus } from '../endpoint-state.ts'
import { type AccountStreams, allEndpointsOfAccounts, endpointsOfAccounts, pageParams } from './endpoint-streams.ts'
import { getEndpointsById } from './get-endpoint.ts'

export interface ListEndpointsInput {
  readonly status?: EndpointStatus | null
  readonly executor?: JobExecutor | null
  /** `owner/slug`: the model repo that has this name now. */
  readonly modelRepo?: string | null
  /** Handle of the billed account. */
  readonly owner?: string | null
  readonly first?: number | null
  readonly after?: string | null
}

const modelRepoId = repoNamed(':modelRepo::text', 'model')
const ofOwner = '(:owner::text is null or u.owner_id = (select id from accounts where handle = :owner))'
/** Also holds the endpoint of a hosted job's key to the model. */
const ofModel = `u.model_repo_id = ${modelRepoId} and ${ofOwner}`

const params = { ...billedViewer, ...pageParams, modelRepo: param.text.orNull(), owner: param.text.orNull() }

const pageOf = (variant: string, ids: string) =>
  composed({
    name: `endpoints-page${variant}`,
    exact: 'verb-answer',
    columns: endpointColumns,
    params,
    text: `select ${endpointColumns.sql}
      from (select id from (${ids}) seen order by id desc limit (select :limit::int)) page
      join (${endpointTables}) on u.id = page.id order by page.id desc`,
  })

const filtered = (variant: string, streams: AccountStreams) => pageOf(variant, endpointsOfAccounts(streams))

const pages = {
  // Without a filter that may be null: PostgreSQL would plan it each time, for the values that are.
  all: pageOf('-all', allEndpointsOfAccounts()),
  any: filtered('', { condition: ofOwner }),
  byStatus: filtered('-by-status', { condition: ofOwner, place: { status: ':status::text::"EndpointStatus"' } }),
  byModel: filtered('-by-model', { condition: ofModel, place: { model_repo_id: modelRepoId } }),
}

/** The statement for these filters: few of many endpoints may be of a model, or have a status. */
function pageFor(viewer: VisibleRuns, { modelRepo, status, executor, owner }: ListEndpointsInput): typeof pages.any {
  if (modelRepo != null) return pages.byModel
  if (status != null) return pages.byStatus
  // A hosted job's key has no accounts.
  const isPart = executor != null || owner != null || viewer.repoIds !== null || viewer.accountIds.length === 0
  return isPart ? pages.any : pages.all
}

/** One page; 422 for a cursor of another listing, empty for an owner or a model that there is not. One statement. */
export async function listEndpoints(ctx: RequestContext, input: ListEndpointsInput): Promise<Page<Endpoint>> {
  const { status = null, executor = null, modelRepo = null, owner = null } = input
  const listing = `endpoints:${JSON.stringify([status, executor, modelRepo, owner])}`
  const [after] = input.after ? decodeCursor<[string]>(listing, input.after, [idPart('ep')]) : [null]
  const limit = input.first ?? DEFAULT_PAGE_SIZE
  const viewer = visibleRuns(ctx.viewer)
  const values = { ...viewer, status, executor, modelRepo, owner, after, limit: limit + 1 }
  const rows = await ctx.deps.db.query(pageFor(viewer, input), values)
  return {
    nodes: rows.slice(0, limit).map(toEndpoint),
    hasNextPage: rows.length > limit,
    cursorOf: (endpoint) => encodeCursor(listing, [endpoint.id]),
  }
}

/** How the list of an account's endpoints is followed, by `followChanges`. An endpoint is never deleted. */
export const changedEndpoints: ChangedList<Endpoint> = { kind: 'endpoint', wokenBy: 'ep', byId: getEndpointsById }
