/**
 * Bodies of requests, read whole. Archives share a few pieces of memory, one after another: for a few new buffers of
 * such a size the collector goes through the whole heap, and new memory costs a page fault for each page.
 */
import { errorCodes } from 'fastify'
import { releaseChunk } from '../../src/store/objects/release-chunk.ts'

/**
 * Room for one archive of a push: 4 MiB of files, 500 headers, and as many files padded to whole blocks. A larger body
 * has memory of its own.
 */
export const PLACE_BYTES = 5 * 1024 * 1024
/** Smaller bodies are no burden to the collector. */
const LEAST_BYTES = 1024 * 1024
/** The most places that are kept without a request: a push sends four archives at once. */
const MOST_FREE = 4
/** After this long without an archive their memory is given back. */
const FREE_FOR_MS = 10_000

interface Payload extends NodeJS.EventEmitter {
  resume(): unknown
}

interface Expected {
  /** As the request says; NaN where it does not. */
  readonly lengthBytes: number
  readonly limitBytes: number
}

export type Bodies = ReturnType<typeof openBodies>

/** The memory of the bodies of one server. */
export function openBodies(freeForMs = FREE_FOR_MS) {
  const free: ArrayBuffer[] = []
  const places = new WeakSet<ArrayBufferLike>()
  // Weak: the body of a failed request may still be read, so it is not given back; the collector takes it.
  const lent = new WeakSet<ArrayBufferLike>()
  let timer: NodeJS.Timeout | undefined

  function take(): Buffer {
    const buffer = free.pop() ?? (Buffer.allocUnsafeSlow(PLACE_BYTES).buffer as ArrayBuffer)
    places.add(buffer)
    lent.add(buffer)
    return Buffer.from(buffer)
  }

  function release(body: Buffer): void {
    const buffer = body.buffer as ArrayBuffer
    if (!places.has(buffer)) releaseChunk(body)
    // One that is given back twice is not two.
    else if (!lent.delete(buffer)) return
    else if (free.length === MOST_FREE) buffer.transfer(0)
    else {
      free.push(buffer)
      clearTimeout(timer)
      timer = setTimeout(freeAll, freeForMs).unref()
    }
  }

  function freeAll(): void {
    for (const buffer of free.splice(0)) buffer.transfer(0)
  }

  return {
    /**
     * The body of a request. Rejects as Fastify does: 413 for more than the limit, 400 for another length than was
     * said, or for a connection that breaks.
     */
    read(payload: Payload, { lengthBytes, limitBytes }: Expected): Promise<Buffer> {
      if (lengthBytes > limitBytes) return Promise.reject(new errorCodes.FST_ERR_CTP_BODY_TOO_LARGE())
      const place = lengthBytes >= LEAST_BYTES && lengthBytes <= PLACE_BYTES ? take() : null
      const body = gathered(payload, place, { lengthBytes, limitBytes })
      // No one has seen it.
      if (place) body.catch(() => release(place))
      return body
    },
    /** Frees the memory of a body that nothing reads any more: the next one is written over it. */
    release,
    /** How many places wait for a body. */
    free: () => free.length,
  }
}

/** In `place`, where there is one; otherwise its pieces are copied into one at the end. */
function gathered(payload: Payload, place: Buffer | null, { lengthBytes, limitBytes }: Expected): Promise<Buffer> {
  const pieces: Buffer[] = []
  let bytes = 0
  return new Promise<Buffer>((resolve, reject) => {
    const settle = (end: () => void) => {
      payload.off('data', add).off('end', whole).off('error', broken)
      end()
    }
    const add = (piece: Buffer) => {
      bytes += piece.byteLength
      if (bytes > Math.min(limitBytes, place?.byteLength ?? limitBytes))
        return settle(() => reject(new errorCodes.FST_ERR_CTP_BODY_TOO_LARGE()))
      if (!place) pieces.push(piece)
      else {
        place.set(piece, bytes - piece.byteLength)
        releaseChunk(piece)
      }
    }
    const whole = () =>
      settle(() => {
        if (!Number.isNaN(lengthBytes) && bytes !== lengthBytes)
          return reject(new errorCodes.FST_ERR_CTP_INVALID_CONTENT_LENGTH())
        if (place) return resolve(place.subarray(0, bytes))
        const body = Buffer.concat(pieces, bytes)
        for (const piece of pieces) releaseChunk(piece)
        resolve(body)
      })
    const broken = (error: Error) => settle(() => reject(Object.assign(error, { statusCode: 400 })))
    payload.on('data', add).on('end', whole).on('error', broken)
    payload.resume()
  })
}
