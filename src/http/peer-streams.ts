/**
 * Reserved streams among the processes of one port (`WORKERS`). The requests of one stream come over several
 * connections, and so to several processes: the one that has its reader has the stream. A reader that comes to another
 * process takes the stream with it, and an operation is passed on to where the stream is, with everything that the
 * process there needs to check the caller again.
 */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { z } from 'zod'
import { HubError } from '../platform/errors.ts'
import { peers } from '../platform/peers.ts'
import { type SentRequest, sentOf, sentRequest } from './sent-request.ts'
import type { SharedStreams } from './shared-streams.ts'
import { streamTokenOf } from './stream-messages.ts'

/** A process that is busy answers late; a client waits that long for an operation to begin. */
const ANSWER_MS = 10_000
const REQUEST = 'stream request'
const TAKE = 'stream take'

const stream = z.object({ token: z.string(), caller: z.string() })
const passedOn = stream.extend({ request: sentRequest })
const answered = z.object({ status: z.number(), headers: z.record(z.string(), z.string()), body: z.string() })
/** What a process says that has the stream: that it is read there, or what waits for its reader. */
const given = z.union([z.literal('read'), z.array(sentRequest)])

/** Has this process answer for the streams that it has. Nothing for a hub of one process. */
export function answerForStreams(app: FastifyInstance, shared: SharedStreams): void {
  if (!peers.areThere) return
  peers.whenAsked(REQUEST, async (asked) => {
    const { token, caller, request } = passedOn.parse(asked)
    return shared.find(token, caller) ? handled(app, request) : null
  })
  peers.whenAsked(TAKE, async (asked) => {
    const { token, caller } = stream.parse(asked)
    return shared.handOver(token, caller)
  })
}

async function handled(app: FastifyInstance, { payload, ...request }: SentRequest): Promise<z.output<typeof answered>> {
  const { statusCode, headers, body } = await app.inject({ ...request, ...(payload !== '' && { payload }) })
  const kept = Object.entries(headers).filter(([name]) => name === 'content-type' || name === 'retry-after')
  return {
    status: statusCode,
    headers: Object.fromEntries(kept.map(([name, value]) => [name, String(value)])),
    body,
  }
}

/** Sends the answer of the process that has the request's stream: true. False if none has it. */
export async function passOn(request: FastifyRequest, reply: FastifyReply, caller: string): Promise<boolean> {
  const token = streamTokenOf(request)
  if (token === '') return false
  const answers = await peers.ask(REQUEST, { token, caller, request: sentOf(request) }, ANSWER_MS)
  const answer = answers.map((one) => answered.safeParse(one).data).find((one) => one !== undefined)
  if (!answer) return false
  reply.code(answer.status).headers(answer.headers).send(answer.body)
  return true
}

/**
 * Takes the stream of a reader that has come here from the process that reserved it; returns what has waited there.
 * Null if none has it. Throws 409 if it is read there.
 */
export async function takeStream(token: string, caller: string): Promise<readonly SentRequest[] | null> {
  if (token === '') return null
  const answers = await peers.ask(TAKE, { token, caller }, ANSWER_MS)
  const found = answers.map((one) => given.safeParse(one).data).find((one) => one !== undefined)
  if (found === 'read') throw new HubError('conflict.in_progress', 'Another request is already reading the stream.')
  return found ?? null
}

/** Adds what has waited for the reader; what is refused here is refused as if it had come later. */
export async function addWaiting(app: FastifyInstance, waiting: readonly SentRequest[]): Promise<void> {
  for (const request of waiting) await handled(app, request)
}
