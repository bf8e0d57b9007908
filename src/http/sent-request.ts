/** A request of a reserved stream in the form in which another process of the port can handle it. */
import type { FastifyRequest } from 'fastify'
import { z } from 'zod'

/** What is a connection's own, or is counted again. */
const ownHeaders = new Set(['connection', 'content-length', 'transfer-encoding', 'expect', 'accept-encoding'])

/** Checks what another process has sent. */
export const sentRequest = z.object({
  method: z.enum(['GET', 'POST', 'DELETE']),
  url: z.string(),
  headers: z.record(z.string(), z.union([z.string(), z.array(z.string())])),
  payload: z.string(),
  /** Of the connection: which proxies are trusted is decided where it is handled. */
  remoteAddress: z.string(),
})
/** A request of a stream, as another process can handle it. */
export type SentRequest = z.output<typeof sentRequest>

/** The request for another process. */
export function sentOf(request: FastifyRequest): SentRequest {
  const headers = Object.entries(request.headers).filter(
    ([name, value]) => value !== undefined && !ownHeaders.has(name),
  )
  return {
    method: request.method as SentRequest['method'],
    url: request.url,
    headers: Object.fromEntries(headers) as SentRequest['headers'],
    payload: typeof request.body === 'string' ? request.body : '',
    remoteAddress: request.raw.socket.remoteAddress ?? '',
  }
}
