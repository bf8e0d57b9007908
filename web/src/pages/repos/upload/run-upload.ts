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
 * Prepares an upload; `run` does what is left of it, `save` saves those files that are at the hub. `changed` is
 * called after each change of `state`. Neither rejects: what failed is in the state.
 */
export function openUpload(parts: UploadParts, job: UploadJob, changed: () => void) {
  const { signal } = parts
  const upload = progressOf(job, changed)
  const save = () => saveSent(parts, upload)
  return {
    /** Sends what is not sent, and saves once all of it is. Resolves with null where it did not save. */
    async run(): Promise<Committed | null> {
      try {
        upload.enter('reading')
        await readFiles(parts, upload)
        upload.enter('sending')
        await sendFiles(parts, upload)
      } catch (error) {
        if (signal.aborted) return stopped(upload)
        upload.enter('refused', error instanceof Error ? error.message : String(error))
        return null
      }
      if (upload.all.every(({ state: { status } }) => status === 'sent')) return save()
      upload.enter('incomplete')
      return null
    },
    /** Saves what is sent, without what failed. */
    save,
    state: upload.state,
  }
}

/** How far an upload is: its phase, and what became of each file. */
interface Progress {
  readonly message: string
  readonly all: readonly One[]
  set(one: One, next: Partial<FileState>): void
  enter(phase: UploadState['phase'], words?: string): void
  state(): UploadState
  /** What a reload would lose. */
  toKeep(): Remembered
}

function progressOf({ files, message, known }: UploadJob, changed: () => void): Progress {
  const digestOf = knownDigests(known)
  const all: One[] = files.map((picked) => ({
    ...picked,
    sha256: digestOf(factsOf(picked)),
    state: { path: picked.path, size: picked.file.size, status: 'waiting', done: 0, why: null },
  }))
  const startedAt = new Date().toISOString()
  let phase: UploadState['phase'] = 'reading'
  let told: string | null = null
  return {
    message,
    all,
    set(one, next) {
      one.state = { ...one.state, ...next }
      changed()
    },
    enter(next, words) {
      phase = next
      told = words ?? null
      changed()
    },
    state: () => ({ phase, told, files: all.map((one) => one.state) }),
    toKeep: () => ({ startedAt, message, files: all.map((one) => ({ ...factsOf(one), sha256: one.sha256 })) }),
  }
}

const factsOf = ({ path, file }: Picked) => ({ path, size: file.size, changedMs: file.lastModified })

/** Finds the digests that are not known; a file that cannot be read has failed. */
async function readFiles({ signal, digest, keep }: UploadParts, { all, set, toKeep }: Progress): Promise<void> {
  let unkept = 0
  for (const one of all) {
    signal.throwIfAborted()
    if (one.sha256 !== null || one.state.status === 'sent') continue
    set(one, { status: 'reading', done: 0, why: null })
    try {
      one.sha256 = await digest(one.file, 'sha256', (bytes) => set(one, { done: one.state.done + bytes }))
      set(one, { status: 'waiting', done: one.file.size })
    } catch (error) {
      signal.throwIfAborted()
      set(one, { status: 'failed', why: error instanceof Error ? error.message : String(error) })
    }
    unkept += one.file.size
    if (unkept < KEPT_EACH_BYTES) continue
    await keep(toKeep())
    unkept = 0
  }
  await keep(toKeep())
}

/** Sends what the hub lacks; files of equal content are sent once. */
async function sendFiles({ hub, signal, put, digest }: UploadParts, { all, set }: Progress): Promise<void> {
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
  const sender = { hub, signal, put, md5: (blob: Blob) => digest(blob, 'md5') }
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

/** Commits what is sent; what the hub refuses of it is marked as failed. */
async function saveSent({ hub, signal }: UploadParts, upload: Progress): Promise<Committed | null> {
  const files = upload.all.filter(({ state: { status } }) => status === 'sent')
  const add = files.map(({ path, sha256, file }) => ({ path, sha256, size: file.size }))
  upload.enter('saving')
  try {
    const made = await hub.commit({ add, message: upload.message || null })
    upload.enter('done')
    return made
  } catch (error) {
    if (signal.aborted) return stopped(upload)
    const words = error instanceof Error ? error.message : String(error)
    const refused = error instanceof CallFault ? refusedItems(error.faults, words, 'add', add.length) : new Map()
    for (const [at, why] of refused) {
      const one = files[at]
      if (one) upload.set(one, { status: 'failed', why })
    }
    upload.enter(refused.size > 0 ? 'incomplete' : 'refused', words)
    return null
  }
}

function stopped(upload: Progress): null {
  upload.enter('stopped')
  return null
}
