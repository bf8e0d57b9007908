/** Looks into the files that a push is about to send, and stops it where one of them holds a secret. */
import { open } from 'node:fs/promises'
import { pathTest } from '../globs.ts'
import { LocalError } from '../problem.ts'
import type { Progress } from '../progress.ts'
import { READ_AT_ONCE } from '../read-flags.ts'
import type { LocalFile } from '../walk.ts'
import { findSecrets, HEAD_BYTES, isBinary, isLookedInto, LOOK_MS, type SecretInFile } from './find-secrets.ts'

/** Lines of an error. */
const MOST_SHOWN = 20

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

interface Looking<File> {
  /** Whether a file may hold secrets, as its sender said. */
  isMeant(path: string): boolean
  /** Whether a file was seen to be no text when its digest was computed. */
  isBinary?(path: string): boolean
  /** The bytes of a file, if they are in memory. */
  held?(file: File): Buffer | undefined
  readonly progress: Progress
  readonly signal: AbortSignal
  readonly lookMs?: number
}

/**
 * Rejects with `SecretsFound` for a file that no glob of `allowed` matches. Text files of at most 4 MiB are looked
 * into, for a minute at most; what that left out is said as a note.
 */
export async function assertNoSecrets<File extends LocalFile>(
  files: readonly File[],
  allowed: readonly string[],
  { isMeant, isBinary: isKnownBinary = () => false, held, progress, signal, lookMs = LOOK_MS }: Looking<File>,
): Promise<void> {
  const isAllowed = allowed.length === 0 ? () => false : pathTest({ include: allowed, exclude: [] })
  const small = files.filter(
    (file) => isLookedInto(file) && !isKnownBinary(file.path) && !isMeant(file.path) && !isAllowed(file.path),
  )
  if (small.length === 0) return
  const untilMs = performance.now() + lookMs
  progress.begin(
    'look',
    small.length,
    small.reduce((sum, { size }) => sum + size, 0),
  )
  const { found, left } = await findSecrets(small, {
    async textOf(file) {
      const bytes = held?.(file)
      if (bytes) return isBinary(bytes) ? null : bytes.toString()
      return textOf(file.file, file.size)
    },
    mayGoOn: () => {
      signal.throwIfAborted()
      return performance.now() < untilMs
    },
    looked({ path, size }) {
      progress.bytes(size)
      progress.file(path)
    },
  })
  progress.end()
  if (left > 0)
    progress.note(`warning: looking for secrets took too long: ${left} of ${small.length} files were not looked into`)
  if (found.length > 0) throw new SecretsFound(found)
}

/** Null: binary, or it cannot be read, which sending it reports. */
async function textOf(file: string, size: number): Promise<string | null> {
  const handle = await open(file, READ_AT_ONCE).catch(() => null)
  if (handle === null) return null
  try {
    const head = Buffer.alloc(Math.min(HEAD_BYTES, size))
    const { bytesRead } = await handle.read(head, 0, head.length, 0)
    if (isBinary(head.subarray(0, bytesRead))) return null
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
