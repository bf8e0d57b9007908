/**
 * Error responses outside any route: headers that time out, are too large or not HTTP, and a stalled body. RFC 9457, as
 * everywhere.
 */
import { maxHeaderSize, type Server, STATUS_CODES } from 'node:http'
import type { Socket } from 'node:net'
import { HubError, toProblem } from '../platform/errors.ts'
import { requestId } from './edge.ts'

/** Timeout for request headers, and how often Node checks it. */
export const headerTimeouts = { headersTimeout: 30_000, connectionsCheckingInterval: 5_000 } as const

const refusals = {
  ERR_HTTP_REQUEST_TIMEOUT: new HubError(
    'timeout.request',
    'The headers did not arrive in time; send the request again.',
  ),
  HPE_HEADER_OVERFLOW: new HubError(
    'too_large.headers',
    'The address and the headers are over 16 KiB together; shorten them, or send a long query in the body of a POST.',
    { facts: { limit: maxHeaderSize } },
  ),
} as const

/** Of Node's parser, with the bytes that it could not read. */
interface BrokenRequest {
  readonly code?: string
  /** A Buffer. */
  readonly rawPacket?: unknown
}

const END_OF_HEAD = '\r\n\r\n'

/** Node's `clientError`: sends an error if the socket is still writable, then closes it. */
export function refuseBrokenRequest(error: BrokenRequest, socket: Socket): void {
  if (error.code === 'ECONNRESET' || socket.destroyed) return
  const refusal =
    error.code === 'ERR_HTTP_REQUEST_TIMEOUT' || error.code === 'HPE_HEADER_OVERFLOW'
      ? refusals[error.code]
      : new HubError('validation.request', 'The request is not valid HTTP/1.1.')
  if (socket.writable) {
    const answer = problemResponse(refusal)
    const { rawPacket } = error
    const isHead = Buffer.isBuffer(rawPacket) && rawPacket.subarray(0, 5).toString('latin1') === 'HEAD '
    // Bytes after the head of an answer to HEAD would be taken for the next answer.
    socket.write(isHead ? answer.slice(0, answer.indexOf(END_OF_HEAD) + END_OF_HEAD.length) : answer)
  }
  socket.destroySoon()
}

/**
 * Answers a request that expects what HTTP does not know as any other, as it may (RFC 9110, "Expect"): Node would
 * answer 417 without a Problem.
 */
export function ignoreExpectations(server: Server): void {
  server.on('checkExpectation', (request, response) => server.emit('request', request, response))
}

/** A complete response, written directly to the socket. */
export function problemResponse(refusal: HubError, id = requestId(undefined)): string {
  const problem = toProblem(refusal, id)
  const body = JSON.stringify(problem)
  return [
    `HTTP/1.1 ${problem.status} ${STATUS_CODES[problem.status]}`,
    'Connection: close',
    'Content-Type: application/problem+json; charset=utf-8',
    `Content-Length: ${Buffer.byteLength(body)}`,
    'Cache-Control: no-store',
    `X-Request-Id: ${id}`,
    '',
    body,
  ].join('\r\n')
}
