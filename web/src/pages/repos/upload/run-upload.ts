/** One upload from its files to the commit: reads them, sends what the hub lacks, and saves them as one version. */
import { refusedItems } from '@hub/client/refused'
import type { Content, Sender } from './content.ts'
import { CallFault, type Committed, type HubCalls } from './hub-calls.ts'
import type { Picked } from './picked-files.ts'
import { knownDigests, type Remembered } from './remembered.ts'
import { sendContents } from './send-contents.ts'
import type { FileState, UploadState } from './upload-state.ts'

export interface UploadParts {
  readonly hub: HubCalls
  readonly signal: AbortSignal
  readonly digest: (blob: Blob, algorithm: 'sha256' | 'md5', read?: (bytes: number) => void) => Promise<string>
  readonly put: Sender['put']
  /** Keeps what a reload would lose. */
  readonly keep: (what: Remembered) => Promise<void>
}

export interface UploadJob {
  /** With the whole path in the repo. */
  readonly files: readonly Picked[]
  readonly message: string
  /** What an upload that was interrupted knew. */
  readonly known: Remembered | null
}

/** A file and what became of it. */
interface One extends Picked {
  state: FileState
  sha256: string | null
}

/** Digests that are kept at once: a reload loses those of at most so many bytes. */
const KEPT_EACH_BYTES = 256 * 1_048_576

/**
 * Prepares an upload; `run` does what is left of it, `commit` saves those files that are at the hub. `changed` is
 * called after each change of `state`. Neither rejects: what failed is in the state.
 */
export function openUpload(parts: UploadParts, job: UploadJob, changed: () => void) {
  const { hub, signal } = parts
  const digestOf = knownDigests(job.known)
  const all: One[] = job.files.map((picked) => ({
    ...picked,
    sha256: digestOf(factsOf(picked)),
    state: { path: picked.path, size: picked.file.size, status: 'waiting', done: 0, why: null },
  }))
  const startedAt = new Date().toISOString()
  let phase: UploadState['phase'] = 'reading'
  let told: string | null = null
  const state = (): UploadState => ({ phase, told, files: all.map((one) => one.state) })
  const set = (one: One, next: Partial<FileState>) => {
    one.state = { ...one.state, ...next }
    changed()
  }
  const enter = (next: UploadState['phase'], words: string | null = null) => {
    phase = next
    told = words
    changed()
  }
  const keep = () =>
    parts.keep({
      startedAt,
      message: job.message,
      files: all.map((one) => ({ ...factsOf(one), sha256: one.sha256 })),
    })

  async function read(): Promise<void> {
    let unkept = 0
    for (const one of all) {
      signal.throwIfAborted()
      if (one.sha256 !== null || one.state.status === 'sent') continue
      set(one, { status: 'reading', done: 0, why: null })
      try {
        one.sha256 = await parts.digest(one.file, 'sha256', (bytes) => set(one, { done: one.state.done + bytes }))
        set(one, { status: 'waiting', done: one.file.size })
      } catch (error) {
        signal.throwIfAborted()
        set(one, { status: 'failed', why: error instanceof Error ? error.message : String(error) })
      }
      unkept += one.file.size
      if (unkept < KEPT_EACH_BYTES) continue
      await keep()
      unkept = 0
    }
    await keep()
  }

  async function send(): Promise<void> {
    const groups = new Map<string, One[]>()
    for (const one of all) {
      if (one.sha256 === null || one.state.status === 'sent') continue
      set(one, { status: 'waiting', done: 0, why: null })
      const group = groups.get(one.sha256)
      if (group) group.push(one)
      else groups.set(one.sha256, [one])
    }
    const contents = [...groups].flatMap(([sha256, [one]]) =>
      one ? [{ sha256, size: one.file.size, blob: one.file }] : [],
    )
    const of = ({ sha256 }: Content) => groups.get(sha256) ?? []
    const sender = { hub, signal, put: parts.put, md5: (blob: Blob) => parts.digest(blob, 'md5') }
    await sendContents(sender, contents, {
      moved: (content, bytes) => {
        for (const one of of(content)) set(one, { status: 'sending', done: Math.max(0, one.state.done + bytes) })
      },
      stored: (content) => {
        for (const one of of(content)) set(one, { status: 'sent', done: content.size })
      },
      failed: (content, why) => {
        for (const one of of(content)) set(one, { status: 'failed', done: 0, why })
      },
    })
  }

  async function save(): Promise<Committed | null> {
    const files = all.filter(({ state: { status } }) => status === 'sent')
    const add = files.map(({ path, sha256, file }) => ({ path, sha256, size: file.size }))
    enter('saving')
    try {
      const made = await hub.commit({ add, message: job.message || null })
      enter('done')
      return made
    } catch (error) {
      if (signal.aborted) return stopped()
      const words = error instanceof Error ? error.message : String(error)
      const refused = error instanceof CallFault ? refusedItems(error.faults, words, 'add', add.length) : new Map()
      for (const [at, why] of refused) {
        const one = files[at]
        if (one) set(one, { status: 'failed', why })
      }
      enter(refused.size > 0 ? 'incomplete' : 'refused', words)
      return null
    }
  }

  function stopped(): null {
    enter('stopped')
    return null
  }

  return {
    /** Sends what is not sent, and saves once all of it is. Resolves with null where it did not save. */
    async run(): Promise<Committed | null> {
      try {
        enter('reading')
        await read()
        enter('sending')
        await send()
      } catch (error) {
        if (signal.aborted) return stopped()
        enter('refused', error instanceof Error ? error.message : String(error))
        return null
      }
      if (all.every(({ state: { status } }) => status === 'sent')) return save()
      enter('incomplete')
      return null
    },
    /** Saves what is sent, without what failed. */
    save,
    state,
  }
}

const factsOf = ({ path, file }: Picked) => ({ path, size: file.size, changedMs: file.lastModified })
