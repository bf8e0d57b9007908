/** Uploads what a check made. A name that is sent again replaces what was sent before. */

import { type HubClient, silent } from '@hub/client/internal'
import { withRetry } from '@hub/client/retry'
import { sendPart } from '@hub/client/send-part'
import pMap from 'p-map'
import type { ArtifactFile } from './verdict.ts'

const CONCURRENCY = 4

/** Rejects with the client's error: `quota.storage` where its account has no room. */
export async function sendArtifacts(
  client: HubClient,
  checkId: string,
  artifacts: readonly ArtifactFile[],
  signal: AbortSignal,
): Promise<void> {
  if (artifacts.length === 0) return
  const announced = artifacts.map(({ name, size, contentType }) => ({ name, size, content_type: contentType }))
  const urls = new Map((await client.checks.presignArtifacts(checkId, announced)).map(({ name, url }) => [name, url]))
  await pMap(
    artifacts,
    async ({ name, file, size }) => {
      const url = urls.get(name)
      if (url === undefined) throw new Error(`The hub returned no upload URL for ${name}.`)
      await withRetry(client.retry, signal, () =>
        sendPart({ url, part: { file, start: 0, end: size }, progress: silent, signal }),
      )
    },
    { concurrency: CONCURRENCY, signal },
  )
}
