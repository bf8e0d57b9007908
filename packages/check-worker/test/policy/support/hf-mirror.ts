/**
 * A mirror of Hugging Face on this machine, which lists and serves the given files, and the responses that a test sets.
 */
import { createHash } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createDouble } from '@hub/testing/double'

export const revision = 'a'.repeat(40)

export interface Mirror {
  readonly url: string
  /** Requested paths, in order. */
  readonly asked: readonly string[]
  close(): Promise<void>
}

type Answer = (request: IncomingMessage, response: ServerResponse) => void

/** `answers`: by path, before everything else. `listing`: overrides members of the API's response. */
export async function hfMirror(
  files: Readonly<Record<string, Buffer>>,
  {
    answers = {},
    listing = {},
  }: { readonly answers?: Readonly<Record<string, Answer>>; readonly listing?: object } = {},
): Promise<Mirror> {
  const asked: string[] = []
  const info = {
    sha: revision,
    cardData: { license: 'apache-2.0' },
    siblings: Object.entries(files).map(([rfilename, bytes]) => ({
      rfilename,
      size: bytes.length,
      ...(bytes.length > 1000 && { lfs: { sha256: createHash('sha256').update(bytes).digest('hex') } }),
    })),
    ...listing,
  }
  const server = createDouble((request, response) => {
    const { pathname } = new URL(request.url ?? '', 'http://mirror')
    asked.push(pathname)
    const file = files[pathname.replace(`/lab/walker/resolve/${revision}/`, '')]
    const answer = answers[pathname]
    if (answer) answer(request, response)
    else if (pathname.startsWith('/api/models/lab/walker')) response.end(JSON.stringify(info))
    else if (file) response.end(file)
    else response.writeHead(404).end()
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

/** A redirect. */
export const redirect =
  (location: string): Answer =>
  (_, response) => {
    response.writeHead(302, { location }).end()
  }
