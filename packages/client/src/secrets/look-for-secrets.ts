/** Looks into the files that a push is about to send, and stops it where one of them holds a secret. */
import { open } from 'node:fs/promises'
import pMap from 'p-map'
import { pathTest } from '../globs.ts'
import { LocalError } from '../problem.ts'
import type { Progress } from '../progress.ts'
import type { LocalFile } from '../walk.ts'
import type { FoundSecret } from './secret-rules.ts'

/** Larger files are data. */
const LARGEST_BYTES = 4 * 1_048_576
/** As Git tells text from binary: a NUL near the beginning. */
const HEAD_BYTES = 8192
/** Of all files together. */
const LOOK_MS = 60_000
const CONCURRENCY = 4
/** Lines of an error. */
const MOST_SHOWN = 20

export interface SecretInFile extends FoundSecret {
  readonly path: string
}

/** Files to send hold secrets. Names files, lines and kinds, never a secret. */
export class SecretsFound extends LocalError {
  readonly secrets: readonly SecretInFile[]

  constructor(secrets: readonly SecretInFile[]) {
    const faults = secrets.slice(0, MOST_SHOWN).map(({ path, line, kind }) => `${path}:${line}: ${kind}`)
    if (secrets.length > MOST_SHOWN) faults.push(`and ${secrets.length - MOST_SHOWN} more`)
    super('Files to send hold secrets; nothing was sent.', faults)
    this.name = 'SecretsFound'
    this.secrets = secrets
  }
}

interface Looking {
  /** Whether a file may hold secrets, as its sender said. */
  isMeant(path: string): boolean
  readonly progress: Progress
  readonly signal: AbortSignal
  readonly lookMs?: number
}

/**
 * Rejects with `SecretsFound` for a file that no glob of `allowed` matches. Text files of at most 4 MiB are looked
 * into, for a minute at most; what that left out is said as a note.
 */
export async function assertNoSecrets(
  files: readonly LocalFile[],
  allowed: readonly string[],
  { isMeant, progress, signal, lookMs = LOOK_MS }: Looking,
): Promise<void> {
  const isAllowed = allowed.length === 0 ? () => false : pathTest({ include: allowed, exclude: [] })
  const small = files.filter(
    ({ path, size }) => size > 0 && size <= LARGEST_BYTES && !isMeant(path) && !isAllowed(path),
  )
  if (small.length === 0) return
  const { secretsIn } = await import('./secret-rules.ts')
  const untilMs = performance.now() + lookMs
  const found: SecretInFile[] = []
  let left = 0
  progress.begin(
    'look',
    small.length,
    small.reduce((sum, { size }) => sum + size, 0),
  )
  const look = async ({ path, file, size }: LocalFile) => {
    signal.throwIfAborted()
    if (performance.now() >= untilMs) {
      left += 1
      return
    }
    const text = await textOf(file, size)
    if (text !== null) for (const secret of await secretsIn(text, file)) found.push({ path, ...secret })
    progress.bytes(size)
    progress.file(path)
  }
  await pMap(small, look, { concurrency: CONCURRENCY })
  progress.end()
  if (left > 0)
    progress.note(`warning: looking for secrets took too long: ${left} of ${small.length} files were not looked into`)
  if (found.length > 0) throw new SecretsFound(found.sort(byPlace))
}

const byPlace = (a: SecretInFile, b: SecretInFile) =>
  Buffer.compare(Buffer.from(a.path), Buffer.from(b.path)) || a.line - b.line

/** Null: binary, or it cannot be read, which sending it reports. */
async function textOf(file: string, size: number): Promise<string | null> {
  const handle = await open(file, 'r').catch(() => null)
  if (handle === null) return null
  try {
    const head = Buffer.alloc(Math.min(HEAD_BYTES, size))
    const { bytesRead } = await handle.read(head, 0, head.length, 0)
    if (head.subarray(0, bytesRead).includes(0)) return null
    const bytes = Buffer.alloc(size)
    head.copy(bytes, 0, 0, bytesRead)
    const rest = await handle.read(bytes, bytesRead, size - bytesRead, bytesRead)
    return bytes.toString('utf8', 0, bytesRead + rest.bytesRead)
  } catch {
    return null
  } finally {
    await handle.close()
  }
}
