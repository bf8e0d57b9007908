/**
 * reportEndpoint (spec, "POST /v1/endpoints/{endpoint_id}/report"): the server's one way to write after its claim,
 * every few seconds.
 */
import type { RequestContext, Viewer } from '../../operation/context.ts'
import { column, columns } from '../../store/columns.ts'
import type { Querier } from '../../store/db.ts'
import { param, statement } from '../../store/statement.ts'
import { type ReportKind, reportJob } from '../../work/report.ts'
import { mayWorkOn } from '../claim/claim-endpoint.ts'
import { type HeldEndpoint, lockEndpoint } from '../endpoint-row.ts'
import type { Endpoint } from '../endpoint-shape.ts'
import { readEndpoint } from '../read/get-endpoint.ts'
import { applyReport } from './apply-report.ts'
import { nextOf, type ReportEndpointInput, readReport } from './judge-report.ts'

/**
 * The endpoint, with the ids of closed sessions whose tokens have not expired: its server lets no device in with them.
 */
export interface ReportedEndpoint extends Endpoint {
  readonly closedSessions: readonly string[]
}

/**
 * Sessions of which a device may still hold a token that their server accepts; as many as a server has open, over and
 * over.
 */
const MAX_CLOSED = 1000

const idColumn = columns({ id: column.text('s.id') })

const closedBefore = statement({
  name: 'endpoint-sessions-closed',
  columns: idColumn,
  params: { endpointId: param.text() },
  text: `select ${idColumn.sql} from endpoint_sessions s where s.endpoint_id = :endpointId and s.status = 'closed' and s.expires_at > now()
    order by s.closed_at desc, s.id desc limit ${MAX_CLOSED}`,
})

async function show(querier: Querier, viewer: Viewer, endpointId: string): Promise<ReportedEndpoint> {
  const endpoint = await readEndpoint(querier, viewer, endpointId)
  const closedSessions = (await querier.query(closedBefore, { endpointId })).map(({ id }) => id)
  return { ...endpoint, closedSessions }
}

const endpointReport: ReportKind<
  ReportEndpointInput,
  HeldEndpoint,
  HeldEndpoint,
  never,
  ReturnType<typeof readReport>,
  ReportedEndpoint
> = {
  find: async (ctx, { endpointId }) => (await mayWorkOn(ctx, endpointId)).endpoint,
  // A report replaces what is stored, so that a repeated one changes nothing.
  numbersOf: () => ({}),
  next: nextOf,
  read: async () => readReport(),
  lock: (tx, { endpointId }) => lockEndpoint(tx, endpointId),
  apply: applyReport,
  show,
}

/**
 * Returns the endpoint. Errors, which store nothing: 401, 403, 404, 409 `conflict.not_claimer`, `conflict.terminal`,
 * 422 a session that is none of the endpoint's, or named twice.
 */
export function reportEndpoint(ctx: RequestContext, input: ReportEndpointInput): Promise<ReportedEndpoint> {
  return reportJob(ctx, endpointReport, input)
}
