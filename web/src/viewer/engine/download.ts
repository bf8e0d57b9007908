/** Bytes of files of a repo from signed addresses, a few at once. */
import { viewerLimits } from '../limits.ts'
import { notDownloaded, ViewerProblem } from '../problems.ts'
import type { RepoBytes } from './gather-files.ts'

/** `sign`: one address for each path, at most `viewerLimits.signedPaths` of them. */
export function downloads(
  sizes: ReadonlyMap<string, number>,
  sign: (paths: readonly string[]) => Promise<readonly string[]>,
): RepoBytes {
  return {
    sizes,
    async read(paths, tell) {
      const urls: string[] = []
      for (let at = 0; at < paths.length; at += viewerLimits.signedPaths)
        urls.push(...(await sign(paths.slice(at, at + viewerLimits.signedPaths))))
      const found: Uint8Array[] = []
      let next = 0
      const work = async () => {
        while (next < paths.length) {
          const at = next
          next += 1
          const path = paths[at] ?? ''
          found[at] = await bytesOf(path, urls[at] ?? '', sizes.get(path) ?? 0, tell)
        }
      }
      await Promise.all(Array.from({ length: Math.min(viewerLimits.downloads, paths.length) }, work))
      return found
    },
  }
}

async function bytesOf(
  path: string,
  url: string,
  sizeBytes: number,
  tell: (bytes: number) => void,
): Promise<Uint8Array> {
  const answer = await fetch(url).catch((error: unknown) => {
    throw new ViewerProblem(notDownloaded(path, String(error)))
  })
  if (!answer.ok || !answer.body) throw new ViewerProblem(notDownloaded(path, `the answer was ${answer.status}.`))
  // No more than is expected is kept, whatever comes.
  const bytes = new Uint8Array(sizeBytes)
  let at = 0
  for await (const chunk of chunksOf(answer.body)) {
    if (at + chunk.length > sizeBytes) throw new ViewerProblem(notDownloaded(path, 'it has changed. Reload the page.'))
    bytes.set(chunk, at)
    at += chunk.length
    tell(chunk.length)
  }
  if (at !== sizeBytes) throw new ViewerProblem(notDownloaded(path, `${at} of ${sizeBytes} bytes came.`))
  return bytes
}

/** Not every browser iterates over a stream. */
async function* chunksOf(body: ReadableStream<Uint8Array>): AsyncGenerator<Uint8Array> {
  const reader = body.getReader()
  try {
    for (;;) {
      const { done, value } = await reader.read()
      if (done) return
      yield value
    }
  } finally {
    // Ends the transfer where no one reads on.
    await reader.cancel().catch(() => undefined)
  }
}
