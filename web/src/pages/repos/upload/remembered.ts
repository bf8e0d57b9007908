/** What a reload would make an upload forget: its files, and their digests. In the browser's own database. */
import { del, get, set } from 'idb-keyval'

export interface RememberedFile {
  readonly path: string
  /** Bytes. */
  readonly size: number
  /** When it was changed, in milliseconds since 1970, as the browser says. */
  readonly changedMs: number
  /** Null until it has been read. */
  readonly sha256: string | null
}

export interface Remembered {
  /** RFC 3339. */
  readonly startedAt: string
  readonly message: string
  readonly files: readonly RememberedFile[]
}

const keyOf = (owner: string, repo: string) => `upload ${owner}/${repo}`

/** Null where nothing was interrupted, and where the browser keeps nothing, as in a private window. */
export const recall = (owner: string, repo: string): Promise<Remembered | null> =>
  get<Remembered>(keyOf(owner, repo)).then(
    (found) => found ?? null,
    () => null,
  )

/** Without a database an upload begins again after a reload: nothing more is lost. */
export const remember = (owner: string, repo: string, what: Remembered): Promise<void> =>
  set(keyOf(owner, repo), what).catch(() => undefined)

export const forget = (owner: string, repo: string): Promise<void> => del(keyOf(owner, repo)).catch(() => undefined)

const factsKey = ({ path, size, changedMs }: Omit<RememberedFile, 'sha256'>) => `${size} ${changedMs} ${path}`

/** Finds the digest of a file that is as it was when it was read; null for others. */
export function knownDigests(remembered: Remembered | null): (file: Omit<RememberedFile, 'sha256'>) => string | null {
  const digests = new Map(remembered?.files.map((file) => [factsKey(file), file.sha256]))
  return (file) => digests.get(factsKey(file)) ?? null
}
