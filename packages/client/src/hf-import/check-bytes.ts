/** Whether a file has the digest that its source says. */
import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { stat } from 'node:fs/promises'
import { sha256Of } from '../hash.ts'
import type { SourceFile } from './source.ts'

/** A sentence for what differs; null if nothing does. `sha256`: of the file, if it is known. */
export async function byteFault(
  place: string,
  { path, size, digest }: SourceFile,
  signal: AbortSignal,
  sha256: string | null = null,
): Promise<string | null> {
  const actualSize = (await stat(place)).size
  if (actualSize !== size) return `${path}: the source lists ${size} bytes, and has ${actualSize}`
  if (digest === null) return null
  const [listed, actual] =
    'sha256' in digest
      ? [digest.sha256, sha256 ?? (await sha256Of(place, signal))]
      : [digest.gitHash, await gitHashOf(place, size, signal)]
  return actual === listed ? null : `${path}: the source lists the digest ${listed}, its bytes have ${actual}`
}

/** What git calls a file. */
async function gitHashOf(place: string, size: number, signal: AbortSignal): Promise<string> {
  const hash = createHash('sha1').update(`blob ${size}\0`)
  for await (const chunk of createReadStream(place, { signal })) hash.update(chunk as Buffer)
  return hash.digest('hex')
}
