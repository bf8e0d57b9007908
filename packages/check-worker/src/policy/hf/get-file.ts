/** A file of another hub, read up to the size that was listed. */
import { createHash } from 'node:crypto'
import { createWriteStream } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import { dirname } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { asFault, capped, FetchFault, type Getter, shown } from '@hub/client/guarded'

export interface ExpectedFile {
  readonly sizeBytes: number
  /** Null if its hub sends none. */
  readonly sha256: string | null
}

/**
 * Writes the body to `file`, creating its folder. Throws a `FetchFault` if it does not have the announced size and
 * digest. What goes wrong with this machine's disk is not a fault of the body: the system's error.
 */
export async function getFile({
  getter,
  url,
  file,
  expected,
  signal,
}: {
  readonly getter: Getter
  readonly url: URL
  readonly file: string
  readonly expected: ExpectedFile
  readonly signal: AbortSignal
}): Promise<void> {
  await mkdir(dirname(file), { recursive: true, mode: 0o700 })
  const response = await getter.get(url, signal)
  const hash = createHash('sha256')
  let received = 0
  async function* hashed() {
    try {
      for await (const chunk of capped(response, url, expected.sizeBytes)) {
        hash.update(chunk)
        received += chunk.length
        yield chunk
      }
    } catch (error) {
      throw asFault(error, url, signal)
    }
  }
  try {
    await pipeline(hashed, createWriteStream(file, { flags: 'wx', mode: 0o600 }), { signal })
  } catch (error) {
    throw signal.aborted ? signal.reason : error
  } finally {
    response.destroy()
  }
  const isWhole = received === expected.sizeBytes
  if (!isWhole || (expected.sha256 !== null && hash.digest('hex') !== expected.sha256))
    throw new FetchFault(`${shown(url)} is not the file that was listed: its size or digest differs.`)
}
