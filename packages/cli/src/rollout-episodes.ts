/** Sends the episodes that a published result keeps to the repo of its model, ahead of the result. */
import { createHash } from 'node:crypto'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type HubClient, silent } from '@hub/client/internal'
import { withRetry } from '@hub/client/retry'
import { sendPart } from '@hub/client/send-part'
import type { ClientIo } from './client-output.ts'
import { repoName } from './client-session.ts'
import { print } from './terminal.ts'

/** The motion of a seed, as JSON. */
export interface SeedMotion {
  readonly seed: number
  readonly text: string
}

/** Those that the hub takes; what is left out is said. */
export function fitting({ stderr }: ClientIo, motions: readonly SeedMotion[]): readonly SeedMotion[] {
  return motions.filter(({ seed, text }) => {
    const fits = Buffer.byteLength(text) <= MAX_EPISODE_BYTES
    if (!fits) print(stderr, `hub: the motion of seed ${seed} is over 16 MiB: it is not kept\n`)
    return fits
  })
}

/** An episode as a result names it. */
export interface SentEpisode {
  readonly seed: number
  readonly sha256: string
  readonly size: number
}

/** As the hub takes them: ten minutes of a robot with thirty joints, fifty times a second. */
const MAX_EPISODE_BYTES = 16 * 1024 * 1024

/** Rejects with the client's error: `quota.storage` where the owner of the model has no room. */
export async function sendEpisodes(
  client: HubClient,
  repo: string,
  motions: readonly SeedMotion[],
): Promise<SentEpisode[]> {
  if (motions.length === 0) return []
  const name = repoName(repo)
  const sent = motions.map(({ seed, text }) => ({ seed, bytes: Buffer.from(text) }))
  const contents = sent.map(({ bytes }) => ({ sha256: digestOf(bytes), size: bytes.length }))
  const { blobs } = await client.presignBlobs(name, contents)
  const folder = await mkdtemp(join(tmpdir(), 'hub-episodes-'))
  try {
    const uploads = []
    for (const [at, { bytes }] of sent.entries()) {
      const upload = blobs[at]?.upload
      // The hub has these bytes.
      if (!upload) continue
      const [url] = upload.parts.map((part) => part.url)
      if (url === undefined) throw new Error('The hub returned no URL for an episode.')
      const file = join(folder, `${at}.json`)
      await writeFile(file, bytes)
      const part = { file, start: 0, end: bytes.length }
      const etag = await withRetry(client.retry, client.signal, () =>
        sendPart({ url, part, progress: silent, signal: client.signal }),
      )
      uploads.push({ upload_id: upload.upload_id, parts: [{ part_number: 1, etag }] })
    }
    if (uploads.length > 0) await client.completeBlobs(name, uploads)
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
  return sent.map(({ seed }, at) => ({ seed, sha256: contents[at]?.sha256 ?? '', size: contents[at]?.size ?? 0 }))
}

const digestOf = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex')
