/** Saves a text as a file. */
import { isSmall } from '@hub/client/upload-parts'
import type { Client } from '@urql/core'
import { openDigests } from '../upload/digests.ts'
import { type Committed, hubCalls } from '../upload/hub-calls.ts'
import { putPart } from '../upload/put-part.ts'
import { base64, sendContents } from '../upload/send-contents.ts'
import { type FileVersion, fileVersion } from './file-version.ts'
import { assertAsSeen, commitOnCurrent } from './on-current.ts'

interface TextToSave {
  readonly owner: string
  readonly repo: string
  readonly path: string
  readonly text: string
  readonly message: string
  /** What the person began with. */
  readonly base: FileVersion
}

/** Rejects with `ChangedMeanwhile` where the file is another one by now, else in words for a person. */
export async function saveText(client: Client, meant: TextToSave): Promise<Committed> {
  const { owner, repo, path, text, message, base } = meant
  const { signal } = new AbortController()
  const hub = hubCalls(client, owner, repo, signal)
  const blob = new Blob([text])
  const add = isSmall(blob)
    ? { path, content: await base64(blob) }
    : { path, sha256: await sentAhead(hub, blob, signal), size: blob.size }
  return commitOnCurrent(
    hub,
    () => fileVersion(client, owner, repo, path),
    (now) => {
      assertAsSeen(path, base, now)
      return { add: [add], message: message || null }
    },
  )
}

/** Sends what no request holds, and resolves with its digest. */
async function sentAhead(hub: ReturnType<typeof hubCalls>, blob: Blob, signal: AbortSignal): Promise<string> {
  const digests = openDigests()
  try {
    const sha256 = await digests.digest(blob, 'sha256')
    const faults: string[] = []
    await sendContents(
      { hub, signal, put: putPart, md5: (part) => digests.digest(part, 'md5') },
      [{ sha256, size: blob.size, blob }],
      { moved: () => undefined, stored: () => undefined, failed: (_, why) => faults.push(why) },
    )
    const [fault] = faults
    if (fault !== undefined) throw new Error(fault)
    return sha256
  } finally {
    digests.close()
  }
}
