/** The rest of a body that was refused while it came. */
import type { IncomingMessage } from 'node:http'

/**
 * How much of a rejected body is read and discarded, so that the client can read the error; then the connection is
 * closed.
 */
const REFUSED_BODY_BYTES = 64 * 1024 * 1024

/** Reads what is left, at most so many bytes, and keeps none of it. */
export function discardBody(body: IncomingMessage, mostBytes: number = REFUSED_BODY_BYTES): void {
  let seenBytes = 0
  body.on('error', () => undefined)
  body.on('data', (chunk: Buffer) => {
    seenBytes += chunk.byteLength
    if (seenBytes > mostBytes) body.destroy()
  })
  body.resume()
}
