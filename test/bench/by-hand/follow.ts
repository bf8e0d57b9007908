/** Followers of the logs of runs as a person would keep them: in memory, one text of events for all of a run. */
import type { ServerResponse } from 'node:http'
import type { FastifyReply } from 'fastify'

export class Followers {
  readonly #byRun = new Map<string, Set<ServerResponse>>()
  #line = 0

  /** From now on; what the log has already is not sent. */
  add(run: string, reply: FastifyReply): void {
    reply.hijack()
    const { raw } = reply
    raw.writeHead(200, { 'content-type': 'text/event-stream; charset=utf-8', 'cache-control': 'no-store' })
    raw.flushHeaders()
    const all = this.#byRun.get(run) ?? new Set()
    this.#byRun.set(run, all.add(raw))
    raw.once('close', () => all.delete(raw))
  }

  send(run: string, chunk: string): void {
    const all = this.#byRun.get(run)
    if (!all || chunk === '') return
    const ts = new Date().toISOString()
    const events = chunk
      .trimEnd()
      .split('\n')
      .map((line) => `event: log\nid: ${++this.#line}\ndata: ${JSON.stringify({ ts, stream: 'stdout', line })}\n\n`)
    const bytes = Buffer.from(events.join(''))
    for (const raw of all) raw.write(bytes)
  }
}
