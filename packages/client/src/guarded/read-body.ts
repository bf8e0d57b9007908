/** Response bodies, read up to a limit that does not depend on what the response claims. */
import type { IncomingMessage } from 'node:http'
import { FetchFault } from './fetch-fault.ts'
import { asFault, type Getter, shown } from './guarded-get.ts'

/** Throws a `FetchFault` for a body that is larger than `maxBytes` or not JSON. */
export async function getJson(getter: Getter, url: URL, maxBytes: number, signal: AbortSignal): Promise<unknown> {
  return readJson(await getter.get(url, signal), { url, maxBytes, signal })
}

/** The JSON of a response, with the same faults. */
export async function readJson(
  response: IncomingMessage,
  { url, maxBytes, signal }: { readonly url: URL; readonly maxBytes: number; readonly signal: AbortSignal },
): Promise<unknown> {
  const chunks: Buffer[] = []
  try {
    for await (const chunk of capped(response, url, maxBytes)) chunks.push(chunk)
    return JSON.parse(Buffer.concat(chunks).toString('utf8'))
  } catch (error) {
    if (error instanceof SyntaxError) throw new FetchFault(`${shown(url)} is not JSON.`)
    throw asFault(error, url, signal)
  } finally {
    if (!response.readableEnded) response.destroy()
  }
}

/** A body of at most `maxBytes`; a `FetchFault` for more. */
export async function* capped(body: AsyncIterable<Buffer>, url: URL, maxBytes: number): AsyncGenerator<Buffer> {
  let received = 0
  for await (const chunk of body) {
    received += chunk.length
    if (received > maxBytes) throw new FetchFault(`${shown(url)} is larger than ${maxBytes} bytes.`)
    yield chunk
  }
}
