/** Has the bytes of files at the hub before a commit names them: those that it lacks are sent. As `hub push` does it. */
import { batchesOf } from '@hub/client/batches'
import { refusedItems } from '@hub/client/refused'
import { BATCH, COMPLETION_BYTES, isSmall, presignBatches, smallBatches } from '@hub/client/upload-parts'
import pLimit from 'p-limit'
import { asked, type Content, type Sender, type Slot } from './content.ts'
import { CallFault, type SentParts, type Target } from './hub-calls.ts'
import { sendParts } from './send-parts.ts'

/** What became of each content. */
export interface Outcome {
  /** Bytes that are sent, or were there; negative for those that have to be sent again. */
  moved(content: Content, bytes: number): void
  stored(content: Content): void
  failed(content: Content, why: string): void
}

/** Parts at once: a browser opens six connections to a host over HTTP/1.1, and the page needs some itself. */
const PARTS_AT_ONCE = 4

/** Sends the contents, small ones first. Rejects only where the signal ends it. */
export async function sendContents(sender: Sender, contents: readonly Content[], outcome: Outcome): Promise<void> {
  for (const batch of smallBatches(contents.filter(isSmall))) await sendSmall(sender, batch, outcome)
  const slot = pLimit(PARTS_AT_ONCE)
  for (const batch of presignBatches(contents.filter((one) => !isSmall(one))))
    await sendLarge(sender, batch, outcome, slot)
}

/** An error in words for a person. */
const wordsOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))

async function sendSmall({ hub, signal }: Sender, batch: readonly Content[], outcome: Outcome): Promise<void> {
  signal.throwIfAborted()
  try {
    await hub.store(await Promise.all(batch.map(({ blob }) => base64(blob))))
    for (const one of batch) {
      outcome.moved(one, one.size)
      outcome.stored(one)
    }
  } catch (error) {
    signal.throwIfAborted()
    for (const one of batch) outcome.failed(one, wordsOf(error))
  }
}

/** The bytes as a request has them. */
export async function base64(blob: Blob): Promise<string> {
  const bytes = new Uint8Array(await blob.arrayBuffer())
  return btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(''))
}

interface SentContent {
  readonly content: Content
  readonly upload: SentParts
}

async function sendLarge(sender: Sender, batch: readonly Content[], outcome: Outcome, slot: Slot): Promise<void> {
  const targets = await presigned(sender, batch, outcome)
  const sent: SentContent[] = []
  await Promise.all(
    targets.map(async ([content, target]) => {
      if (target === null) {
        outcome.moved(content, content.size)
        return outcome.stored(content)
      }
      try {
        sent.push({
          content,
          upload: await sendParts(sender, content, target, slot, (bytes) => outcome.moved(content, bytes)),
        })
      } catch (error) {
        if (!sender.signal.aborted) outcome.failed(content, wordsOf(error))
      }
    }),
  )
  sender.signal.throwIfAborted()
  for (const some of batchesOf(sent, BATCH, COMPLETION_BYTES, ({ content }) => content.size))
    await complete(sender, some, outcome)
}

type Presigned = readonly [Content, Target | null]

/** Contents that the hub refuses fail; the others are asked for again. */
async function presigned(sender: Sender, batch: readonly Content[], outcome: Outcome): Promise<Presigned[]> {
  if (batch.length === 0) return []
  try {
    const targets = await sender.hub.presign(batch.map(asked))
    return batch.map((content, at) => [content, targets[at] ?? null])
  } catch (error) {
    sender.signal.throwIfAborted()
    return presigned(
      sender,
      without(batch, error, 'blobs', (one) => one, outcome),
      outcome,
    )
  }
}

/** The items that a fault does not name; all fail where it names none. */
function without<One>(
  items: readonly One[],
  error: unknown,
  member: string,
  contentOf: (one: One) => Content,
  outcome: Outcome,
): One[] {
  const refused =
    error instanceof CallFault ? refusedItems(error.faults, error.message, member, items.length) : new Map()
  for (const [at, one] of items.entries())
    if (refused.size === 0 || refused.has(at)) outcome.failed(contentOf(one), refused.get(at) ?? wordsOf(error))
  return refused.size === 0 ? [] : items.filter((_, at) => !refused.has(at))
}

/** All or none: those that the hub names fail, and the others are completed again. */
async function complete(sender: Sender, sent: readonly SentContent[], outcome: Outcome): Promise<void> {
  if (sent.length === 0) return
  try {
    await sender.hub.complete(sent.map(({ upload }) => upload))
    for (const { content } of sent) outcome.stored(content)
  } catch (error) {
    sender.signal.throwIfAborted()
    await complete(
      sender,
      without(sent, error, 'uploads', ({ content }) => content, outcome),
      outcome,
    )
  }
}
