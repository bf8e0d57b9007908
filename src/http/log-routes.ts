/** The log of a job over `/v1`, followed and as a download (spec, streamRunLogs and downloadRunLog). Streams, so without GraphQL documents. */
import { Readable } from 'node:stream'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { checkLog } from '../checks/log/check-log.ts'
import type { RequestContext } from '../operation/context.ts'
import { type ErrorItem, HubError, toProblem } from '../platform/errors.ts'
import { runLog } from '../runs/log/run-log.ts'
import { downloadLog } from '../work/log/download-log.ts'
import { followLog } from '../work/log/follow-log.ts'
import type { JobLog } from '../work/log/job-log.ts'
import type { FollowedBatch } from '../work/log/log-batch.ts'
import { type LogPosition, readPosition } from '../work/log/position.ts'
import { knownError } from './known-error.ts'
import type { OpenStreams } from './open-streams.ts'
import { assertTexts } from './request-texts.ts'
import { eventsOf, sseHeaders } from './sse.ts'

type LogRequest = FastifyRequest<{ Params: { id: string }; Querystring: Record<string, string | string[]> }>

/** The log routes of one kind of job. */
interface LogRoute {
  readonly log: JobLog
  /** Path of the stream, with `:id` for the job; the download is at its `/download`. */
  readonly path: string
  /** What the interface calls the id of the job. */
  readonly idName: string
  readonly operations: { readonly stream: string; readonly download: string }
}

/** Mounts both routes, and 405 for other methods on their paths. */
type LogMount = (
  contextOf: (request: FastifyRequest) => RequestContext,
  streams: OpenStreams,
) => (app: FastifyInstance) => Promise<void>

/** `GET /v1/runs/{run_id}/logs` and `…/logs/download`. */
export const runLogRoutes = logRoutes({
  log: runLog,
  path: '/v1/runs/:id/logs',
  idName: 'run_id',
  operations: { stream: 'streamRunLogs', download: 'downloadRunLog' },
})

/** `GET /v1/robot-checks/{check_id}/logs` and `…/logs/download`. */
export const checkLogRoutes = logRoutes({
  log: checkLog,
  path: '/v1/robot-checks/:id/logs',
  idName: 'check_id',
  operations: { stream: 'streamRobotCheckLogs', download: 'downloadRobotCheckLog' },
})

function logRoutes({ log, path, idName, operations }: LogRoute): LogMount {
  return (contextOf, streams) => async (app) => {
    app.addHook('preHandler', assertTexts({ id: idName }))
    const get = (operation: string) => ({ config: { operation }, exposeHeadRoute: false })
    app.get(path, get(operations.stream), async (request: LogRequest, reply) => {
      const query = readQuery(request, ['follow', 'tail', 'strip_ansi'])
      const position = lastPosition(request.headers['last-event-id'])
      const batches = await followLog(contextOf(request), log, request.params.id, {
        follow: query.flag('follow'),
        tail: query.count('tail'),
        stripAnsi: query.flag('strip_ansi'),
        resume: position && { position, loc: ['header', 'last-event-id'] },
        log: true,
        metrics: true,
      })
      await streams.serve(request, reply, sseHeaders, async (outlet) => {
        await outlet.write('retry: 2000\n\n')
        await outlet.writeAll(eventTexts(request, batches))
      })
      return reply
    })
    app.get(`${path}/download`, get(operations.download), async (request: LogRequest, reply) => {
      const { id } = request.params
      const stripAnsi = readQuery(request, ['strip_ansi']).flag('strip_ansi')
      const texts = await downloadLog(contextOf(request), log, id, { stripAnsi })
      reply.headers({
        'content-type': 'text/plain; charset=utf-8',
        'content-disposition': `attachment; filename=${id}.log`,
        'cache-control': 'private, no-cache',
        vary: 'Authorization, Cookie',
      })
      return reply.send(Readable.from(texts, { objectMode: false, highWaterMark: 1 }))
    })
    for (const url of [path, `${path}/download`]) rejectOtherMethods(app, url)
  }
}

/** The events of the batches, pulled on demand. */
async function* eventTexts(request: FastifyRequest, batches: AsyncGenerator<FollowedBatch, void>) {
  try {
    for await (const batch of batches) yield eventsOf(batch)
  } catch (error) {
    // The headers are sent. No id, so that the client reconnects with its own last position.
    const problem = toProblem(knownError(error, request), request.id)
    yield `event: error\ndata: ${JSON.stringify(problem)}\n\n`
  }
}

function lastPosition(header: string | string[] | undefined): LogPosition | null {
  if (header === undefined || header === '') return null
  const position = typeof header === 'string' ? readPosition(header) : null
  if (position) return position
  const item = {
    type: 'validation.value',
    detail: 'Last-Event-ID is not an id of this stream',
    loc: ['header', 'last-event-id'],
  }
  throw new HubError('validation.value', `${item.detail}.`, { items: [item] })
}

/** Parses the query parameters; 422 with one entry per invalid one. */
function readQuery(request: LogRequest, names: readonly string[]) {
  const { query } = request
  const faults = Object.entries(query).flatMap(([name, value]): ErrorItem[] => {
    const detail = queryFault(names, name, value)
    const type = names.includes(name) ? 'validation.value' : 'validation.unknown_member'
    return detail === null ? [] : [{ type, detail, loc: ['query', name] }]
  })
  if (faults.length > 0)
    throw new HubError('validation.failed', `query.${faults[0]?.loc?.[1]}: ${faults[0]?.detail}`, { items: faults })
  return {
    flag: (name: string) => query[name] === 'true' || query[name] === '1',
    count: (name: string) => (query[name] === undefined ? null : Number(query[name])),
  }
}

function queryFault(names: readonly string[], name: string, value: string | string[]): string | null {
  if (!names.includes(name)) return `${name} is not a query parameter of this operation`
  if (typeof value !== 'string') return 'is given more than once'
  if (name === 'tail') return /^\d{1,15}$/.test(value) ? null : 'must be a whole number from 0 on'
  return ['true', 'false', '1', '0'].includes(value) ? null : 'must be true or false'
}

function rejectOtherMethods(app: FastifyInstance, url: string): void {
  app.route({
    method: ['HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'],
    url,
    exposeHeadRoute: false,
    handler: async (request) => {
      throw new HubError('method.not_allowed', `${request.method} is not supported on this path; use GET.`, {
        headers: { allow: 'GET' },
      })
    },
  })
}
