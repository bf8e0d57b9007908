/** The log of a job over `/v1`, followed and as a download (spec, streamRunLogs and downloadRunLog). */
import { Readable } from 'node:stream'
import type { FastifyRequest } from 'fastify'
import { eventsOf, sseHeaders } from '../../src/http/sse.ts'
import { type ErrorItem, HubError, toProblem } from '../../src/platform/errors.ts'
import { downloadLog } from '../../src/work/log/download-log.ts'
import { followLog } from '../../src/work/log/follow-log.ts'
import type { JobLog } from '../../src/work/log/job-log.ts'
import type { FollowedBatch } from '../../src/work/log/log-batch.ts'
import { type LogPosition, readPosition } from '../../src/work/log/position.ts'
import { everywhere, flag, forReaders, problem, segment, text } from '../engine/handler-openapi.ts'
import type { HandlerRoute } from '../engine/handler-route.ts'

type LogRequest = FastifyRequest<{ Params: Record<string, string>; Querystring: Record<string, string | string[]> }>

/** The log of one kind of job in the interface. */
interface LogWords {
  readonly log: JobLog
  /** Path of the job, without `/v1` and its id. */
  readonly path: string
  readonly noun: string
  /** The name of the id in the path. */
  readonly id: string
  readonly operations: { readonly stream: string; readonly download: string }
}

/** `GET /v1/{path}/{id}/logs` and `…/logs/download`. */
export function jobLogHandlers(words: LogWords): readonly HandlerRoute[] {
  return [streamOf(words), downloadOf(words)]
}

const stripAnsi = flag('strip_ansi', 'Remove ANSI escape sequences from every line.')
const refusals = {
  '403': problem('Not allowed'),
  '404': problem('Not found'),
  '422': problem('Validation failed, Invalid value'),
  '502': problem('Stored object lost'),
  ...everywhere,
}
const idOf = (request: LogRequest, name: string) => request.params[name] ?? ''

function streamOf({ log, path, noun, id, operations }: LogWords): HandlerRoute {
  const hasMetrics = log.metrics !== null
  const metricEvent = hasMetrics ? ' `metric` with the line of the trainer,' : ''
  return {
    operation: operations.stream,
    method: 'GET',
    path: `/v1/${path}/:${id}/logs`,
    answersHead: false,
    openApi: {
      tags: [path],
      ...forReaders,
      summary: hasMetrics ? `Live log and metrics of a ${noun}` : `Live log of a ${noun}`,
      description: `Server-Sent Events: \`log\` with \`{ts, stream, line}\` for each line,${metricEvent} and \`end\` with \`{status}\`, which closes the stream. Each has an \`id\`; a client that reconnects with it as \`Last-Event-ID\` resumes after it. A client that reads too slowly is disconnected, and can resume.\n\nScope: \`key:read\`.`,
      parameters: [
        segment(id, `Id of the ${noun}.`),
        flag('follow', `Keep the stream open while the ${noun} is queued or running.`),
        {
          name: 'tail',
          in: 'query',
          schema: { type: 'integer', minimum: 0 },
          description: `Only this many of the last lines of the log${hasMetrics ? '; metrics are always complete' : ''}.`,
        },
        stripAnsi,
        { name: 'Last-Event-ID', in: 'header', schema: text, description: 'The `id` of the last event received.' },
      ],
      responses: {
        '200': { description: 'The events.', content: { 'text/event-stream': { schema: text } } },
        ...refusals,
      },
    },
    async handle(edge, request: LogRequest, reply) {
      const query = readQuery(request, ['follow', 'tail', 'strip_ansi'])
      const position = lastPosition(request.headers['last-event-id'])
      const batches = await followLog(edge.contextOf(request), log, idOf(request, id), {
        follow: query.flag('follow'),
        tail: query.count('tail'),
        stripAnsi: query.flag('strip_ansi'),
        resume: position && { position, loc: ['header', 'last-event-id'] },
        log: true,
        metrics: true,
      })
      const problemOf = (error: unknown) => toProblem(edge.knownError(error, request), request.id)
      await edge.streams.serve(request, reply, sseHeaders, async (outlet) => {
        await outlet.write('retry: 2000\n\n')
        await outlet.writeAll(eventTexts(batches, problemOf))
      })
      return reply
    },
  }
}

function downloadOf({ log, path, noun, id, operations }: LogWords): HandlerRoute {
  return {
    operation: operations.download,
    method: 'GET',
    path: `/v1/${path}/:${id}/logs/download`,
    answersHead: false,
    openApi: {
      tags: [path],
      ...forReaders,
      summary: `The log of a ${noun} as plain text`,
      description: 'All chunks in order of arrival; empty if there are none.\n\nScope: `key:read`.',
      parameters: [segment(id, `Id of the ${noun}.`), stripAnsi],
      responses: {
        '200': {
          description: 'The log.',
          headers: { 'Content-Disposition': { schema: text, required: true } },
          content: { 'text/plain': { schema: text } },
        },
        ...refusals,
      },
    },
    async handle(edge, request: LogRequest, reply) {
      const jobId = idOf(request, id)
      const texts = await downloadLog(edge.contextOf(request), log, jobId, {
        stripAnsi: readQuery(request, ['strip_ansi']).flag('strip_ansi'),
      })
      reply.headers({
        'content-type': 'text/plain; charset=utf-8',
        'content-disposition': `attachment; filename=${jobId}.log`,
        'cache-control': 'private, no-cache',
        vary: 'Authorization, Cookie',
      })
      return reply.send(Readable.from(texts, { objectMode: false, highWaterMark: 1 }))
    },
  }
}

/** The events of the batches, pulled on demand. */
async function* eventTexts(batches: AsyncGenerator<FollowedBatch, void>, problemOf: (error: unknown) => object) {
  try {
    for await (const batch of batches) yield eventsOf(batch)
  } catch (error) {
    // The headers are sent. No id, so that the client reconnects with its own last position.
    yield `event: error\ndata: ${JSON.stringify(problemOf(error))}\n\n`
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
function readQuery({ query }: LogRequest, names: readonly string[]) {
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
