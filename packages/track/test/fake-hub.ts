/** A hub in memory that takes files of a repo and media of a run. */
import { createHash } from 'node:crypto'
import { type HubClient, ProblemError } from '@hub/client/internal'
import { expect } from 'vitest'

const digestOf = (bytes: string | Buffer) => createHash('sha256').update(bytes).digest('hex')

export interface SentMedia {
  readonly key: string
  readonly step: number
  readonly path?: string
}

/** A hub that keeps files and media. `fail` may refuse a request by its name, and `cut` its answer. */
export function hub(fail: (request: string, body?: unknown) => void = () => {}, cut: () => void = () => {}) {
  const repo = new Map<string, string>()
  const media = new Map<string, SentMedia>()
  const requests: string[] = []
  const ask = (name: string, body?: unknown) => {
    requests.push(name)
    fail(name, body)
  }
  const blobs = new Map<string, string>()
  const client = {
    url: 'http://hub',
    signal: new AbortController().signal,
    retry: {},
    updateRepo: async () => ({ kind: 'model', full_name: 'ada/walk' }),
    /** As a hub of before archives answers. */
    async storeArchive() {
      throw new ProblemError(404, { type: 'not_found', detail: 'Nothing found.' }, null)
    },
    async storeBlobs(_: unknown, contents: readonly string[]) {
      ask('blobs')
      return {
        blobs: contents.map((text) => {
          const bytes = Buffer.from(text, 'base64')
          const sha256 = digestOf(bytes)
          blobs.set(sha256, bytes.toString())
          return { sha256 }
        }),
      }
    },
    async commitFiles(_: unknown, { add }: { readonly add: readonly { path: string; sha256: string }[] }) {
      ask('commit')
      for (const { path, sha256 } of add) repo.set(path, blobs.get(sha256) ?? 'no bytes')
      cut()
      return { commit_id: 'c' }
    },
    async *tree(_: unknown, prefix: string) {
      requests.push(`tree ${prefix}`)
      const found = [...repo].filter(([path]) => path.startsWith(prefix))
      yield found.map(([path, text]) => ({ path, sha256: digestOf(text) }))
    },
    runs: { report: async () => ask('report') },
    v1: {
      async recordRunMedia({ body }: { readonly body: { readonly media: readonly SentMedia[] } }) {
        ask('record', body)
        expect(body.media.length).toBeLessThanOrEqual(100)
        for (const [index, { path }] of body.media.entries()) {
          if (path === undefined || repo.has(path)) continue
          const errors = [
            { type: 'validation.value', detail: 'is not a file of the repo', loc: ['media', index, 'path'] },
          ]
          throw new ProblemError(422, { type: 'validation.value', errors }, null)
        }
        for (const one of body.media) media.set(`${one.key} ${one.step}`, one)
        cut()
      },
    },
  }
  return { client: client as unknown as HubClient, repo, media, requests }
}
