/** Sends small contents ahead of a commit, many in one request. */
import pLimit from 'p-limit'
import pMap from 'p-map'
import type { Content } from './contents.ts'
import { type ContentsPacker, contentsPacker, type Packed } from './pack-contents.ts'
import { failureLine, LocalError, ProblemError } from './problem.ts'
import type { Sending } from './sending.ts'
import { ARCHIVE_LIMITS, smallBatches } from './upload-parts.ts'

export interface SmallOutcome {
  stored(content: Content): void
  failed(content: Content, why: string, error: unknown): void
}

/**
 * Sends each content or reports it as failed. Rejects with what concerns more than these contents, once no request is
 * under way.
 */
export async function storeSmall(sending: Sending, contents: readonly Content[], outcome: SmallOutcome): Promise<void> {
  const batches = [...smallBatches(contents, ARCHIVE_LIMITS)]
  const slot = pLimit(sending.jobs)
  const packer = contentsPacker()
  let hasStopped = false
  const sendBatch = async (batch: readonly Content[]) => {
    if (hasStopped) return
    try {
      await storeBatch(sending, packer, batch, outcome)
    } catch (error) {
      hasStopped = true
      throw error
    }
  }
  const results = await Promise.allSettled(batches.map((batch) => slot(() => sendBatch(batch))))
  for (const result of results) if (result.status === 'rejected') throw result.reason
}

async function storeBatch(
  sending: Sending,
  packer: ContentsPacker,
  batch: readonly Content[],
  outcome: SmallOutcome,
): Promise<void> {
  const { client, progress, state } = sending
  const release = await sending.gate(batch.reduce((sum, { size }) => sum + size, 0))
  try {
    client.signal.throwIfAborted()
    const bytesOf = (content: Content) => takeBytes(sending, content).catch((error: unknown) => fault(content, error))
    const read = await pMap(batch, bytesOf, { concurrency: sending.jobs })
    const ready = read.flatMap((bytes, index) => (bytes === null ? [] : [{ content: batch[index] as Content, bytes }]))
    if (ready.length === 0) return
    const blobs = await send(
      sending,
      packer,
      ready.map(({ content: { sha256 }, bytes }) => ({ sha256, bytes })),
    )
    state.rememberAhead(blobs.map(({ sha256 }) => sha256))
    for (const { content } of ready) {
      progress.bytes(content.size)
      outcome.stored(content)
    }
  } catch (error) {
    if (!(error instanceof ProblemError) || ![413, 422].includes(error.status)) throw error
    for (const content of batch) outcome.failed(content, failureLine(error), error)
  } finally {
    release()
  }

  function fault(content: Content, error: unknown): null {
    client.signal.throwIfAborted()
    outcome.failed(content, failureLine(error), error)
    return null
  }
}

/** As one archive, or in base64 to a hub that takes none: it has nothing at that address. */
async function send({ client, repo, hub }: Sending, packer: ContentsPacker, contents: readonly Packed[]) {
  if (hub.takesArchives)
    try {
      const archive = packer.pack(contents)
      const { blobs } = await client.storeArchive(repo, archive)
      packer.free(archive)
      return blobs
    } catch (error) {
      if (!(error instanceof ProblemError) || ![404, 405].includes(error.status)) throw error
      hub.takesArchives = false
    }
  const sized = contents.map((one) => ({ ...one, size: one.bytes.byteLength }))
  const blobs: Awaited<ReturnType<typeof client.storeBlobs>>['blobs'] = []
  for (const some of smallBatches(sized)) {
    const texts = some.map(({ bytes }) => Buffer.from(bytes).toString('base64'))
    blobs.push(...(await client.storeBlobs(repo, texts)).blobs)
  }
  return blobs
}

/** Rejects if the file has other bytes than when it was hashed. */
async function takeBytes({ small }: Sending, { source, sha256 }: Content): Promise<Buffer> {
  const bytes = await small.take(source, sha256)
  if (bytes === null) throw new LocalError(`${source.path} changed while it was being sent; push again.`)
  return bytes
}
