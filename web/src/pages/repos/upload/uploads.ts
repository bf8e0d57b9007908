/** The uploads of this tab, one a repo: they go on while the person looks at other pages. */
import type { Client } from '@urql/core'
import { openDigests } from './digests.ts'
import { type Committed, hubCalls } from './hub-calls.ts'
import { putPart } from './put-part.ts'
import { forget, recall, remember } from './remembered.ts'
import { openUpload, type UploadJob } from './run-upload.ts'
import { isActive, type UploadState } from './upload-state.ts'

/** How often a page draws what has moved. */
const DRAWN_EACH_MS = 100

export interface ActiveUpload {
  readonly subscribe: (listener: () => void) => () => void
  /** The same object until something changes. */
  readonly state: () => UploadState
  /** Ends it; what the hub has by then is not sent again by the next one of the same files. */
  readonly stop: () => void
  /** Sends what failed again. */
  readonly again: () => void
  /** Saves what is sent, without what failed. */
  readonly saveRest: () => void
}

const uploads = new Map<string, ActiveUpload>()

/** The upload of a repo that goes on, or whose end has not been put away yet. */
export const uploadOf = (owner: string, repo: string): ActiveUpload | null => uploads.get(`${owner}/${repo}`) ?? null

/** Puts away an upload that has ended. */
export const putAway = (owner: string, repo: string): boolean => uploads.delete(`${owner}/${repo}`)

/** Begins one. `saved` is called once the hub has its files. */
export async function startUpload(
  client: Client,
  { owner, repo }: { readonly owner: string; readonly repo: string },
  job: Omit<UploadJob, 'known'>,
  saved: (made: Committed) => void,
): Promise<ActiveUpload> {
  const known = await recall(owner, repo)
  const ending = new AbortController()
  const { signal } = ending
  const digests = openDigests()
  const listeners = new Set<() => void>()
  const upload = openUpload(
    {
      hub: hubCalls(client, owner, repo, signal),
      signal,
      digest: digests.digest,
      put: putPart,
      keep: (what) => remember(owner, repo, what),
    },
    { ...job, known },
    changed,
  )
  let shown = upload.state()
  let isDue = false

  function changed(): void {
    if (isDue) return
    isDue = true
    setTimeout(() => {
      isDue = false
      shown = upload.state()
      if (isActive(shown)) addEventListener('beforeunload', warn)
      else removeEventListener('beforeunload', warn)
      for (const listener of listeners) listener()
    }, DRAWN_EACH_MS)
  }

  async function finish(work: Promise<Committed | null>): Promise<void> {
    const made = await work
    if (made === null) return
    digests.close()
    await forget(owner, repo)
    saved(made)
  }

  const active: ActiveUpload = {
    subscribe(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    state: () => shown,
    stop() {
      ending.abort(new Error('The upload was stopped.'))
      digests.close()
    },
    again: () => void finish(upload.run()),
    saveRest: () => void finish(upload.save()),
  }
  uploads.set(`${owner}/${repo}`, active)
  void finish(upload.run())
  return active
}

/** A browser asks before it leaves a page that does this. */
const warn = (event: BeforeUnloadEvent) => event.preventDefault()
