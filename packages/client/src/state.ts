/**
 * Local cache for one repo between pushes and pulls: digests of local files, ETags of sent parts, small contents that
 * the hub has stored ahead of a commit, unanswered commits, and which content a local file had in common with the repo
 * last.
 *
 * A journal of JSON lines. It is a cache: losing it costs time but no data: a file whose last common content is not
 * known is never overwritten. Nothing is written into the user's folder.
 */
import { createHash } from 'node:crypto'
import { join } from 'node:path'
import { z } from 'zod'
import { batchesOf } from './batches.ts'
import type { DeepReadonly } from './deep-readonly.ts'
import { type AppendOptions, openJournal } from './journal.ts'
import { localPath } from './landing.ts'
import type { RepoName } from './repo-name.ts'
import type { RemoteFile } from './shapes.ts'

const commitBody = z.object({
  add: z.array(z.object({ path: z.string(), sha256: z.string(), size: z.number() })),
  delete: z.array(z.string()),
  message: z.string().optional(),
  run_id: z.string().optional(),
})
/** What a push asks of a commit. */
export type PushedCommit = DeepReadonly<z.output<typeof commitBody>>

const line = z.discriminatedUnion('k', [
  z.object({ k: z.literal('hash'), file: z.string(), stamp: z.string(), sha256: z.string(), at: z.number() }),
  z.object({ k: z.literal('part'), upload: z.string(), n: z.number(), etag: z.string(), at: z.number() }),
  /** The hub has stored these contents ahead of a commit. Their digests, of one request in one line. */
  z.object({ k: z.literal('ahead'), contents: z.array(z.string()), at: z.number() }),
  /** A commit has named them, or the hub has them no more. */
  z.object({ k: z.literal('taken'), contents: z.array(z.string()), at: z.number() }),
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
/** The hub collects what no commit names after 7 days, unless it is set to less: two days are for the push itself. */
const AHEAD_FACT_MS = 5 * 86_400_000
const lifetimes: Partial<Record<Line['k'], number>> = {
  hash: HASH_FACT_MS,
  synced: SYNCED_FACT_MS,
  ahead: AHEAD_FACT_MS,
}
/** Clocks of machines that share a cache differ by so much, and a clock is corrected by so much. */
const CLOCK_STEP_MS = 60_000
/** A kill in the middle of a line, or of a write of several, loses no more than these. */
const CONTENTS_PER_LINE = 1000

export type TransferState = ReturnType<typeof openState>

/**
 * Opens the cache of one repo of one hub under `cacheDir`. Unreadable lines are skipped; if the file cannot be written,
 * the cache lives in memory only.
 */
export function openState(cacheDir: string, hubUrl: string, repo: RepoName, now: () => number = Date.now) {
  const cache = openFacts(cacheDir, hubUrl, repo, now)
  return {
    file: cache.file,
    ...digestFacts(cache),
    ...aheadFacts(cache),
    ...commitFacts(cache),
    ...syncedFacts(cache),
    close: cache.close,
  }
}

type Facts = ReturnType<typeof openFacts>

/** What a push need not find out or send again: digests, of files here and of the repo, and ETags of sent parts. */
function digestFacts({ facts, remember, now }: Facts) {
  return {
    /** The digest of a local file that has not changed since (`stamp`), or null. */
    hashOf(localFile: string, stamp: string): string | null {
      const fact = facts.get(`hash ${localFile}`)
      return fact?.k === 'hash' && fact.stamp === stamp ? fact.sha256 : null
    },
    rememberHash: (localFile: string, stamp: string, sha256: string) =>
      remember({ k: 'hash', file: localFile, stamp, sha256, at: now() }),
    /** This machine knows the entry's digest before the hub has hashed it. */
    rememberStored: (entry: RemoteFile, sha256: string) =>
      remember({ k: 'stored', path: entry.path, mark: versionOf(entry), sha256, at: now() }),
    /** The digest of a remote entry: the hub's own, otherwise the cached one for exactly this entry, otherwise null. */
    digestOf(entry: RemoteFile): string | null {
      if (entry.sha256 !== null) return entry.sha256
      const fact = facts.get(`stored ${entry.path}`)
      return fact?.k === 'stored' && fact.mark === versionOf(entry) ? fact.sha256 : null
    },
    /** The ETag of a part sent earlier, or null. */
    partEtag(uploadId: string, partNumber: number): string | null {
      const fact = facts.get(`part ${uploadId} ${partNumber}`)
      return fact?.k === 'part' ? fact.etag : null
    },
    rememberPart: (uploadId: string, n: number, etag: string) =>
      remember({ k: 'part', upload: uploadId, n, etag, at: now() }),
  }
}

/** Contents that the hub has stored ahead of a commit. */
function aheadFacts({ facts, remember, now }: Facts) {
  const sentNow = new Set<string>()

  const forgetAhead = (contents: readonly string[]): void => {
    for (const some of batchesOf(new Set(contents.filter((one) => facts.has(`ahead ${one}`))), CONTENTS_PER_LINE))
      remember({ k: 'taken', contents: some, at: now() })
  }

  return {
    /**
     * Whether the hub has stored this content ahead of a commit, at the request of this state or an earlier one. It may
     * have collected it since. A fact of the future says nothing of its age: the clock was set back.
     */
    isAhead(sha256: string): boolean {
      const fact = facts.get(`ahead ${sha256}`)
      return fact !== undefined && fact.at > now() - AHEAD_FACT_MS && fact.at <= now() + CLOCK_STEP_MS
    },
    rememberAhead(contents: readonly string[]): void {
      for (const one of contents) sentNow.add(one)
      for (const some of batchesOf(contents, CONTENTS_PER_LINE))
        remember({ k: 'ahead', contents: some, at: now() }, { isLasting: true })
    },
    /** A commit has made files of these contents: they are ahead of nothing. */
    forgetAhead,
    /** Forgets what was stored ahead before this state was opened. */
    forgetEarlierAhead(): void {
      const all = [...facts.values()].flatMap((fact) => (fact.k === 'ahead' ? fact.contents : []))
      forgetAhead(all.filter((one) => !sentNow.has(one)))
    },
  }
}

/** Commits that the hub has not answered. */
function commitFacts({ facts, remember, now }: Facts) {
  return {
    rememberCommitting: ({ key, body }: OpenCommit) =>
      remember({ k: 'committing', key, body: structuredClone(body) as z.output<typeof commitBody>, at: now() }),
    /** The hub answered, with success or an error. */
    rememberCommitted: (key: string) => remember({ k: 'committed', key, at: now() }),
    openCommits(): OpenCommit[] {
      const open = [...facts.values()].filter((fact) => fact.k === 'committing')
      return open.filter((fact) => fact.at > now() - COMMIT_MS)
    },
  }
}

/** Which content local files had in common with the repo last. */
function syncedFacts({ facts, remember, rememberAll, now }: Facts) {
  const rememberSynced = (files: readonly { file: string; path: string; sha256: string }[]): void => {
    const at = now()
    const news = files.filter(({ file: localFile, path, sha256 }) => {
      const fact = facts.get(`synced ${localFile}`)
      const isSame = fact?.k === 'synced' && fact.sha256 === sha256 && fact.path === path
      return !(isSame && fact.at > at - SYNCED_RENEWAL_MS)
    })
    for (const some of batchesOf(news, CONTENTS_PER_LINE))
      rememberAll(some.map((one) => ({ k: 'synced' as const, ...one, at })))
  }

  return {
    /**
     * The content that a local file had when it was last pulled, or found equal to the repo's; null if that is not
     * known.
     */
    syncedOf(localFile: string): string | null {
      const fact = facts.get(`synced ${localFile}`)
      return fact?.k === 'synced' ? fact.sha256 : null
    },
    rememberSynced: (localFile: string, path: string, sha256: string) =>
      rememberSynced([{ file: localFile, path, sha256 }]),
    /** The same for many files of a folder. */
    rememberAllSynced: (root: string, files: readonly { readonly path: string; readonly sha256: string }[]) =>
      rememberSynced(files.map(({ path, sha256 }) => ({ file: localPath(root, path), path, sha256 }))),
    forgetSynced: (localFile: string) => remember({ k: 'unsynced', file: localFile, at: now() }),
    /** Local files that were in common with the repo, with their path in it and their content then. */
    synced(): Array<{ readonly file: string; readonly path?: string | undefined; readonly sha256: string }> {
      return [...facts.values()].filter((fact) => fact.k === 'synced')
    },
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
  const journal = openJournal(file, (raw) => {
    const one = readLine(raw)
    if (one) keep(facts, one)
  })
  journal.compact(() =>
    [...facts.values()]
      .filter((fact) => fact.at > now() - (lifetimes[fact.k] ?? UPLOAD_FACT_MS))
      .map((fact) => JSON.stringify(fact)),
  )

  function remember(one: Line, options: AppendOptions = {}): void {
    keep(facts, one)
    journal.append(JSON.stringify(one), options)
  }

  /** In one write. */
  function rememberAll(lines: readonly Line[]): void {
    for (const one of lines) keep(facts, one)
    journal.append(lines.map((one) => JSON.stringify(one)).join('\n'))
  }

  return { file, facts, now, remember, rememberAll, close: journal.close }
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
  else if (one.k === 'ahead')
    for (const sha256 of one.contents) facts.set(`ahead ${sha256}`, { ...one, contents: [sha256] })
  else if (one.k === 'taken') for (const sha256 of one.contents) facts.delete(`ahead ${sha256}`)
  else if (one.k === 'committing') facts.set(`committing ${one.key}`, one)
  else facts.delete(`committing ${one.key}`)
}

/** Null for a line cut off by a kill, whose content is found again, and for one of a newer client. */
function readLine(raw: string): Line | null {
  try {
    return line.safeParse(JSON.parse(raw)).data ?? null
  } catch {
    return null
  }
}
