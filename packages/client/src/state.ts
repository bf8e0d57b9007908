/**
 * Local cache for one repo between pushes and pulls: digests of local files, ETags of sent parts, unanswered commits,
 * and which content a local file had in common with the repo last.
 *
 * An append-only journal of JSON lines, so that a killed client loses at most the line it was writing. It is a cache:
 * losing it costs time but no data: a file whose last common content is not known is never overwritten. Nothing is
 * written into the user's folder.
 */
import { createHash, randomUUID } from 'node:crypto'
import { closeSync, fstatSync, mkdirSync, openSync, readFileSync, renameSync, writeFileSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { z } from 'zod'
import type { DeepReadonly } from './deep-readonly.ts'
import type { RepoName } from './repo-name.ts'
import type { RemoteFile } from './shapes.ts'

const commitBody = z.object({
  add: z.array(z.object({ path: z.string(), sha256: z.string(), size: z.number() })),
  delete: z.array(z.string()),
  message: z.string().optional(),
})
/** What a push asks of a commit. */
export type PushedCommit = DeepReadonly<z.output<typeof commitBody>>

const line = z.discriminatedUnion('k', [
  z.object({ k: z.literal('hash'), file: z.string(), stamp: z.string(), sha256: z.string(), at: z.number() }),
  z.object({ k: z.literal('part'), upload: z.string(), n: z.number(), etag: z.string(), at: z.number() }),
  z.object({ k: z.literal('committing'), key: z.string(), body: commitBody, at: z.number() }),
  z.object({ k: z.literal('committed'), key: z.string(), at: z.number() }),
  z.object({
    k: z.literal('synced'),
    file: z.string(),
    /** Where the repo has it; absent in lines of older clients. */
    path: z.string().optional(),
    sha256: z.string(),
    at: z.number(),
  }),
  z.object({ k: z.literal('unsynced'), file: z.string(), at: z.number() }),
  z.object({ k: z.literal('stored'), path: z.string(), mark: z.string(), sha256: z.string(), at: z.number() }),
])
type Line = z.output<typeof line>

/** A commit whose response never arrived. */
interface OpenCommit {
  readonly key: string
  readonly body: PushedCommit
}

/** The hub forgets pending uploads after 7 days, so older part ETags are useless; file digests are kept longer. */
const UPLOAD_FACT_MS = 7 * 86_400_000
const HASH_FACT_MS = 90 * 86_400_000
/** A pull or push that finds the file equal renews the fact. */
const SYNCED_FACT_MS = 730 * 86_400_000
const SYNCED_RENEWAL_MS = 30 * 86_400_000
/** The hub keeps responses under an Idempotency-Key for a day. */
const COMMIT_MS = 86_400_000
const lifetimes: Partial<Record<Line['k'], number>> = { hash: HASH_FACT_MS, synced: SYNCED_FACT_MS }
const COMPACT_ABOVE_BYTES = 1_048_576

export type TransferState = ReturnType<typeof openState>

/**
 * Opens the cache of one repo of one hub under `cacheDir`. Unreadable lines are skipped; if the file cannot be written,
 * the cache lives in memory only.
 */
export function openState(cacheDir: string, hubUrl: string, repo: RepoName, now: () => number = Date.now) {
  const { file, facts, remember, close } = openFacts(cacheDir, hubUrl, repo, now)

  return {
    file,
    /** The digest of a local file that has not changed since (`stamp`), or null. */
    hashOf(localFile: string, stamp: string): string | null {
      const fact = facts.get(`hash ${localFile}`)
      return fact?.k === 'hash' && fact.stamp === stamp ? fact.sha256 : null
    },
    rememberHash: (localFile: string, stamp: string, sha256: string) =>
      remember({ k: 'hash', file: localFile, stamp, sha256, at: now() }),
    /** The ETag of a part sent earlier, or null. */
    partEtag(uploadId: string, partNumber: number): string | null {
      const fact = facts.get(`part ${uploadId} ${partNumber}`)
      return fact?.k === 'part' ? fact.etag : null
    },
    rememberPart: (uploadId: string, n: number, etag: string) =>
      remember({ k: 'part', upload: uploadId, n, etag, at: now() }),
    rememberCommitting: ({ key, body }: OpenCommit) =>
      remember({ k: 'committing', key, body: structuredClone(body) as z.output<typeof commitBody>, at: now() }),
    /** The hub answered, with success or an error. */
    rememberCommitted: (key: string) => remember({ k: 'committed', key, at: now() }),
    openCommits(): OpenCommit[] {
      const open = [...facts.values()].filter((fact) => fact.k === 'committing')
      return open.filter((fact) => fact.at > now() - COMMIT_MS)
    },
    /** This machine knows the entry's digest before the hub has hashed it. */
    rememberStored: (entry: RemoteFile, sha256: string) =>
      remember({ k: 'stored', path: entry.path, mark: versionOf(entry), sha256, at: now() }),
    /** The digest of a remote entry: the hub's own, otherwise the cached one for exactly this entry, otherwise null. */
    digestOf(entry: RemoteFile): string | null {
      if (entry.sha256 !== null) return entry.sha256
      const fact = facts.get(`stored ${entry.path}`)
      return fact?.k === 'stored' && fact.mark === versionOf(entry) ? fact.sha256 : null
    },
    /**
     * The content that a local file had when it was last pulled, or found equal to the repo's; null if that is not
     * known.
     */
    syncedOf(localFile: string): string | null {
      const fact = facts.get(`synced ${localFile}`)
      return fact?.k === 'synced' ? fact.sha256 : null
    },
    rememberSynced(localFile: string, path: string, sha256: string): void {
      const fact = facts.get(`synced ${localFile}`)
      const isSame = fact?.k === 'synced' && fact.sha256 === sha256 && fact.path === path
      if (!(isSame && fact.at > now() - SYNCED_RENEWAL_MS))
        remember({ k: 'synced', file: localFile, path, sha256, at: now() })
    },
    forgetSynced: (localFile: string) => remember({ k: 'unsynced', file: localFile, at: now() }),
    /** Local files that were in common with the repo, with their path in it and their content then. */
    synced(): Array<{ readonly file: string; readonly path?: string | undefined; readonly sha256: string }> {
      return [...facts.values()].filter((fact) => fact.k === 'synced')
    },
    close,
  }
}

/** The facts of a journal by what they are about, and the journal that grows with them. */
function openFacts(cacheDir: string, hubUrl: string, repo: RepoName, now: () => number) {
  const name = createHash('sha256')
    .update(`${hubUrl.replace(/\/+$/, '')}\n${repo.owner}/${repo.slug}`)
    .digest('hex')
    .slice(0, 32)
  const file = join(cacheDir, `${name}.jsonl`)
  const facts = new Map<string, Line>()
  for (const one of readLines(file)) keep(facts, one)
  let fd = openJournal(cacheDir, file, facts, now())

  function remember(one: Line): void {
    keep(facts, one)
    if (fd === null) return
    try {
      writeSync(fd, `${JSON.stringify(one)}\n`)
    } catch {
      closeSync(fd)
      fd = null
    }
  }

  function close(): void {
    if (fd !== null) closeSync(fd)
    fd = null
  }

  return { file, facts, remember, close }
}

/** Any overwrite changes one of these. */
export function versionOf(entry: RemoteFile): string {
  return `${entry.size} ${entry.etag ?? ''} ${entry.updated_at}`
}

function keep(facts: Map<string, Line>, one: Line): void {
  if (one.k === 'hash') facts.set(`hash ${one.file}`, one)
  else if (one.k === 'part') facts.set(`part ${one.upload} ${one.n}`, one)
  else if (one.k === 'stored') facts.set(`stored ${one.path}`, one)
  else if (one.k === 'synced') facts.set(`synced ${one.file}`, one)
  else if (one.k === 'unsynced') facts.delete(`synced ${one.file}`)
  else if (one.k === 'committing') facts.set(`committing ${one.key}`, one)
  else facts.delete(`committing ${one.key}`)
}

function* readLines(file: string): Generator<Line> {
  let text: string
  try {
    text = readFileSync(file, 'utf8')
  } catch {
    return
  }
  for (const raw of text.split('\n')) {
    try {
      const parsed = line.safeParse(JSON.parse(raw))
      if (parsed.success) yield parsed.data
    } catch {
      // A line cut off by a kill; its content is recomputed.
    }
  }
}

/** Opens for appending; compacts a large journal first. */
function openJournal(dir: string, file: string, facts: Map<string, Line>, nowMs: number): number | null {
  try {
    mkdirSync(dir, { recursive: true, mode: 0o700 })
    const fd = openSync(file, 'a', 0o600)
    if (fstatSync(fd).size <= COMPACT_ABOVE_BYTES) {
      // After a kill, the last line may lack its newline.
      writeSync(fd, '\n')
      return fd
    }
    closeSync(fd)
    const kept = [...facts.values()].filter((fact) => fact.at > nowMs - (lifetimes[fact.k] ?? UPLOAD_FACT_MS))
    const fresh = `${file}.${randomUUID()}`
    writeFileSync(fresh, kept.map((fact) => `${JSON.stringify(fact)}\n`).join(''), { mode: 0o600 })
    renameSync(fresh, file)
    return openSync(file, 'a', 0o600)
  } catch {
    return null
  }
}
