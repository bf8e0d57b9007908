/** Sends the parts of one content that the store lacks. */
import { defaultRetry, retried } from '@hub/client/backoff'
import { bareEtag } from '@hub/client/upload-parts'
import { asked, type Content, type Sender, type Slot } from './content.ts'
import type { SentParts, Target } from './hub-calls.ts'
import { PutFault } from './put-part.ts'

/** The current target: its URLs are renewed once they have expired. */
interface Live {
  target: Target
}

/**
 * Resolves with the ETags of all parts. One that fails ends the others. `moved` is told of bytes that are sent or were
 * there; a negative number takes back what has to be sent again.
 */
export async function sendParts(
  sender: Sender,
  content: Content,
  target: Target,
  slot: Slot,
  moved: (bytes: number) => void,
): Promise<SentParts> {
  const ended = new AbortController()
  const signal = AbortSignal.any([sender.signal, ended.signal])
  const live: Live = { target }
  const parts = target.parts.map(({ partNumber }) =>
    slot(async () => {
      signal.throwIfAborted()
      const start = (partNumber - 1) * target.partSize
      const body = content.blob.slice(start, Math.min(start + target.partSize, content.size))
      const known = await storedEtag(sender, target, partNumber, body)
      if (known !== null) moved(body.size)
      const etag = known ?? (await sendPart({ ...sender, signal }, content, live, partNumber, body, moved))
      return { partNumber, etag }
    }),
  )
  for (const part of parts) part.catch((error: unknown) => ended.abort(error))
  const settled = await Promise.allSettled(parts)
  signal.throwIfAborted()
  return {
    uploadId: target.uploadId,
    parts: settled.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : [])),
  }
}

/** The ETag of a part that the store has from an earlier attempt, if it has these bytes; else null. */
async function storedEtag(sender: Sender, target: Target, partNumber: number, body: Blob): Promise<string | null> {
  const at = target.uploaded.indexOf(partNumber)
  const listed = at < 0 ? undefined : target.uploadedEtags[at]
  if (listed === undefined) return null
  return (await sender.md5(body)) === bareEtag(listed) ? listed : null
}

/** A 403 is a URL that has expired, which a lost connection may hide: both ask for new ones. */
function sendPart(
  { hub, put, signal }: Sender,
  content: Content,
  live: Live,
  partNumber: number,
  body: Blob,
  moved: (bytes: number) => void,
): Promise<string> {
  return retried({
    policy: defaultRetry,
    signal,
    retryable: (error) => error instanceof PutFault && (isStale(error) || error.status === 429 || error.status >= 500),
    work: async (attempt) => {
      if (attempt > 1) await renew()
      let soFar = 0
      const sent = (bytes: number) => {
        moved(bytes - soFar)
        soFar = bytes
      }
      try {
        const etag = await put(urlOf(live.target, partNumber), body, sent, signal)
        sent(body.size)
        return etag
      } catch (error) {
        sent(0)
        throw error
      }
    },
  })

  async function renew(): Promise<void> {
    const [target] = await hub.presign([asked(content)])
    // Another id is another upload, without the parts that were sent.
    if (target?.uploadId !== live.target.uploadId)
      throw new Error('The hub has ended this upload: send the file again.')
    live.target = target
  }
}

const isStale = ({ status }: PutFault) => status === 0 || status === 403

function urlOf({ parts }: Target, partNumber: number): string {
  const url = parts.find((part) => part.partNumber === partNumber)?.url
  if (url === undefined) throw new Error(`The hub gave no address for part ${partNumber} of the file.`)
  return url
}
