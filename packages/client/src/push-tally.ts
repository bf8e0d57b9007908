/** What a push has sent, what the hub had, and what failed. */
import type { Content } from './contents.ts'
import type { Outgoing } from './push-plan.ts'
import type { Sending } from './sending.ts'
import { isSmall } from './upload-parts.ts'

export interface FailedFile {
  readonly path: string
  readonly why: string
}

/** What became of the files of a push. `cause`: of the first that failed. */
export interface Outcome {
  readonly sent: string[]
  readonly sentBytes: number
  readonly linked: string[]
  readonly linkedBytes: number
  readonly failed: FailedFile[]
  readonly cause: unknown
  /** Of the version that the last change made; null without a change. */
  readonly commitId: string | null
}

/**
 * A file whose bytes are at the hub. `from`: this push sent them, or the hub has them, or had them at an earlier push,
 * which sent them ahead.
 */
export interface FileAhead {
  readonly local: Outgoing
  readonly from: 'sent' | 'hub' | 'memory'
}

/** The bytes of all files. */
export const totalBytes = (files: readonly { readonly size: number }[]) =>
  files.reduce((sum, file) => sum + file.size, 0)

const pathsOf = (files: readonly Outgoing[]) => files.map(({ path }) => path).sort()

/** What became of each file, remembered for the next push and told to the progress. */
export function pushTally({ state, progress, root }: Pick<Sending, 'state' | 'progress' | 'root'>) {
  const { arrived, ...ahead } = filesAhead(progress)
  const { committed, named, commitId } = committedFiles(state, root)
  const failed: FailedFile[] = []
  const ended = new Set<Content>()
  let cause: unknown = null
  let partedBytes = 0

  const fail = (local: Outgoing, why: string, error: unknown) => {
    failed.push({ path: local.path, why })
    cause ??= error
  }
  return {
    /** The bytes of the content are at the hub by this push. */
    stored(content: Content) {
      const { source, files } = content
      ended.add(content)
      if (!isSmall(content)) partedBytes += content.size
      for (const local of files) arrived(local, local === source ? 'sent' : 'hub')
    },
    /** They were there before it. */
    known(content: Content) {
      ended.add(content)
      for (const local of content.files) arrived(local, 'hub')
    },
    /** An earlier push sent them ahead, as far as this machine knows. */
    remembered(content: Content) {
      ended.add(content)
      for (const local of content.files) arrived(local, 'memory')
    },
    failed(content: Content, why: string, error: unknown) {
      ended.add(content)
      for (const local of content.files) fail(local, why, error)
    },
    fail,
    /** Its bytes are at the hub, or have failed. */
    hasEnded: (content: Content) => ended.has(content),
    ...ahead,
    committed,
    hasFailed: () => failed.length > 0,
    /** Bytes of the contents that this push sent in parts, and whole. */
    partedBytes: () => partedBytes,
    outcome(): Outcome {
      // Files end in any order; a report that is compared with another should not.
      failed.sort((a, b) => (a.path < b.path ? -1 : 1))
      return { ...named(), failed, cause, commitId: commitId() }
    },
  }
}

/** Files whose bytes are at the hub, and those of them that no commit has named yet. */
function filesAhead(progress: Sending['progress']) {
  const reached = { files: 0, bytes: 0 }
  const told = new Set<Outgoing>()
  let waiting: FileAhead[] = []
  return {
    arrived(local: Outgoing, from: FileAhead['from']) {
      waiting.push({ local, from })
      reached.files += 1
      reached.bytes += local.size
      if (from !== 'sent') progress.bytes(local.size, 'known')
      if (!told.has(local)) progress.file(local.path, ...(from === 'sent' ? [] : ['known' as const]))
      told.add(local)
    },
    /** The hub has the bytes of these files no more. */
    lost(files: readonly Outgoing[]) {
      reached.files -= files.length
      reached.bytes -= totalBytes(files)
      progress.bytes(-totalBytes(files), 'known')
    },
    hasAhead: () => waiting.length > 0,
    /** The files that a commit can name by now, each once. */
    takeAhead(): FileAhead[] {
      const taken = waiting
      waiting = []
      return taken
    },
    /** How far an interrupted push came: files whose bytes are at the hub. */
    reached: () => ({ ...reached }),
  }
}

/** Files that a commit has named. */
function committedFiles(state: Sending['state'], root: string) {
  const sent: Outgoing[] = []
  const linked: Outgoing[] = []
  let commitId: string | null = null
  return {
    committed(files: readonly FileAhead[], made: string) {
      commitId = made
      state.forgetAhead(files.map(({ local }) => local.sha256))
      state.rememberAllSynced(
        root,
        files.map(({ local }) => local),
      )
      for (const { local, from } of files) {
        ;(from === 'sent' ? sent : linked).push(local)
      }
    },
    named: () => ({
      sent: pathsOf(sent),
      sentBytes: totalBytes(sent),
      linked: pathsOf(linked),
      linkedBytes: totalBytes(linked),
    }),
    commitId: () => commitId,
  }
}

export type PushTally = ReturnType<typeof pushTally>
