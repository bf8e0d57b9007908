/** Files of a repo that answer range requests, as an object store does; what was sent of each is counted. */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { DatasetFiles } from '../../../web/src/episodes/dataset.ts'

/** Bytes of a file, or a file of any size of which parts are made when they are asked for. */
export type StoredFile = Uint8Array | { readonly length: number; part(start: number, end: number): Uint8Array }

export interface RangeStore {
  /** The files from now on. */
  hold(files: ReadonlyMap<string, StoredFile>): void
  /** Bytes that were sent of each path since `hold`. */
  readonly sent: ReadonlyMap<string, number>
  repo(): DatasetFiles
  stop(): Promise<void>
}

export async function rangeStore(): Promise<RangeStore> {
  let files: ReadonlyMap<string, StoredFile> = new Map()
  const sent = new Map<string, number>()
  const server = createServer((request, response) => {
    const path = decodeURIComponent((request.url ?? '').slice(1))
    const whole = files.get(path)
    if (!whole) return response.writeHead(404).end()
    const range = /^bytes=(\d+)-(\d+)$/.exec(request.headers.range ?? '')
    const [start, end] = range ? [Number(range[1]), Number(range[2]) + 1] : [0, whole.length]
    const part = whole instanceof Uint8Array ? whole.subarray(start, end) : whole.part(start, end)
    sent.set(path, (sent.get(path) ?? 0) + part.length)
    // A connection that is kept may end while the next request is on its way.
    response.writeHead(range ? 206 : 200, { connection: 'close' }).end(part)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    sent,
    hold(next) {
      files = next
      sent.clear()
    },
    repo: () => ({
      list: (prefix) =>
        Promise.resolve(
          [...files].filter(([path]) => path.startsWith(prefix)).map(([path, { length }]) => [path, length]),
        ),
      sign: (paths) => Promise.resolve(paths.map((path) => `http://127.0.0.1:${port}/${encodeURIComponent(path)}`)),
    }),
    stop: () => new Promise((resolve) => server.close(() => resolve())),
  }
}
