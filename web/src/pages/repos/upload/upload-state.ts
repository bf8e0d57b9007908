/** How far an upload is, for people. Pure. */

type FileStatus = 'waiting' | 'reading' | 'sending' | 'sent' | 'failed'

export interface FileState {
  readonly path: string
  /** Bytes. */
  readonly size: number
  readonly status: FileStatus
  /** Bytes that are read or sent, whichever is going on. */
  readonly done: number
  /** Why it failed. */
  readonly why: string | null
}

type Phase = 'reading' | 'sending' | 'saving' | 'incomplete' | 'refused' | 'stopped' | 'done'

export interface UploadState {
  /** `incomplete`: some files failed, and nothing is saved yet. `refused`: the hub did not save. */
  readonly phase: Phase
  readonly files: readonly FileState[]
  /** What the hub said when it did not save; or what it saved. */
  readonly told: string | null
}

/** Whether work is going on, which a closed page would interrupt. */
export const isActive = ({ phase }: UploadState): boolean => ['reading', 'sending', 'saving'].includes(phase)

export interface Sums {
  readonly files: number
  readonly sent: number
  readonly failed: number
  readonly bytes: number
  /** Bytes that are done in this phase. */
  readonly done: number
}

export function sumsOf({ files }: UploadState): Sums {
  const sums = { files: files.length, sent: 0, failed: 0, bytes: 0, done: 0 }
  for (const { status, size, done } of files) {
    sums.bytes += size
    sums.done += status === 'sent' ? size : Math.min(size, done)
    if (status === 'sent') sums.sent += 1
    if (status === 'failed') sums.failed += 1
  }
  return sums
}

const order: readonly FileStatus[] = ['failed', 'sending', 'reading', 'waiting', 'sent']

/** The files that say most: those that failed first, then those that are moving. */
export const mostTelling = (files: readonly FileState[], most: number): FileState[] =>
  files.toSorted((a, b) => order.indexOf(a.status) - order.indexOf(b.status)).slice(0, most)

/** 0 to 100, down: 100 is said only once all is there. */
export const percentOf = (done: number, bytes: number): number =>
  bytes === 0 ? 100 : Math.floor((Math.min(done, bytes) / bytes) * 100)
