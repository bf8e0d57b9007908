/** A host between an import and the hub that it comes from: it notes what is asked, and fails as it is told. */
import { type IncomingMessage, request, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createDouble } from '@hub/testing/double'

interface AskedOf {
  readonly path: string
  readonly authorization: string | null
}

export interface SourceProxy {
  readonly url: string
  /** What was asked, in order. */
  readonly asked: readonly AskedOf[]
  close(): Promise<void>
}

/** Answers a request itself and returns true, or leaves it to the hub. */
type Meddle = (request: IncomingMessage, response: ServerResponse) => boolean

export interface ProxyOptions {
  readonly meddle?: Meddle
  /** The address by which the hub is told that it was asked: what it redirects to is there. */
  readonly as?: string
}

export async function sourceProxy(hub: string, { meddle = () => false, as }: ProxyOptions = {}): Promise<SourceProxy> {
  const asked: AskedOf[] = []
  const server = createDouble((incoming, response) => {
    const { url = '/', method, headers } = incoming
    asked.push({ path: decodeURIComponent(url.split('?', 1)[0] ?? ''), authorization: headers.authorization ?? null })
    if (meddle(incoming, response)) return
    const host = as === undefined ? headers.host : new URL(as).host
    const sent = request(new URL(url, hub), { method, headers: { ...headers, host } }, (answer) => {
      response.writeHead(answer.statusCode ?? 500, answer.headers)
      answer.pipe(response)
    })
    sent.on('error', () => response.destroy())
    incoming.pipe(sent)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    asked,
    close: () => {
      server.closeAllConnections()
      return new Promise((resolve) => server.close(() => resolve()))
    },
  }
}
