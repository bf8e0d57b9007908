/** Downloads one file to its place: into a partial file next to it, whose SHA-256 is checked before it is renamed. */
import { rename } from 'node:fs/promises'
import { discardLedger, discardPartial, type Fetching, fetchFile } from './fetch-file.ts'
import { sha256Of } from './hash.ts'
import type { Landing } from './landing.ts'
import { LocalError } from './problem.ts'

export interface VerifiedFetch extends Omit<Fetching, 'partial'> {
  readonly landing: Landing
  /** Null if it is not known. */
  readonly sha256: string | null
  /** Rejects if the file in its place is not the one that may be overwritten; asked right before the rename. */
  readonly assertReplaceable?: () => Promise<void>
}

/**
 * Returns the SHA-256 of the file. Rejects with a `LocalError` if the bytes differ twice, and with the errors of the
 * client.
 */
export async function fetchVerified({
  landing,
  sha256,
  assertReplaceable,
  ...fetching
}: VerifiedFetch): Promise<string> {
  const { partial, target } = landing
  let stale = false
  for (let attempt = 1; ; attempt += 1) {
    const url = (fresh: boolean) => fetching.url(fresh || stale)
    const fetched = await fetchFile({ ...fetching, url, partial })
    const actual = fetched ?? (await sha256Of(partial, fetching.signal, undefined, fetching.size))
    if (sha256 === null || actual === sha256) {
      await assertReplaceable?.()
      await rename(partial, target)
      await discardLedger(partial, fetching.size)
      return actual
    }
    // A partial file of an earlier attempt may be damaged. If a second download differs too, the hub is at fault.
    await discardPartial(partial)
    fetching.progress.bytes(-fetching.size)
    if (attempt === 2)
      throw new LocalError(`SHA-256 mismatch: the repo lists ${sha256}, the downloaded bytes have ${actual}`)
    stale = true
  }
}
