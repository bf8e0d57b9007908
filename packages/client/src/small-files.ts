/**
 * Small files of a push, each read once: its digest is computed from the bytes that are sent. They are read on the
 * spot, since the way to another thread and back costs ten times the read; those of a slow disk, and of one that may
 * be far away, by other threads: a read that hangs there stops neither timers nor signals.
 */
import { hash } from 'node:crypto'
import { closeSync, openSync, readSync } from 'node:fs'
import { setImmediate as turn } from 'node:timers/promises'
import { readSmall } from './hash.ts'
import { READ_AT_ONCE, readError } from './read-flags.ts'

/** What is kept between the digest and the request; files beyond it are read again. */
const KEPT_BYTES = 128 * 1_048_576

/** Memory is taken in such pieces: a piece of its own for each file costs more than the read. */
const SLAB_BYTES = 1_048_576

/** Work on the spot after which everything else has its turn. */
const TURN_MS = 10

/**
 * A file that takes so long is on a slow disk, or the machine is busy: other threads read the next ones then, twice as
 * many each time that the one after them is slow too.
 */
const SLOW_MS = 4
const FEWEST_ELSEWHERE = 4
const MOST_ELSEWHERE = 64

/** A file to read. */
interface Sized {
  readonly file: string
  readonly size: number
  /** Whether its folder is on a disk of this machine. */
  readonly isNear: boolean
}

export type SmallFiles = ReturnType<typeof smallFiles>

/** Reads the small files of one push. */
export function smallFiles(keptBytes = KEPT_BYTES, nowMs: () => number = () => performance.now()) {
  const kept = new Map<string, Buffer>()
  let room = keptBytes
  let slab = Buffer.alloc(0)
  let used = 0
  let elsewhere = 0
  let ifSlow = FEWEST_ELSEWHERE
  let turnedMs = nowMs()

  /** In the slab, which the next read overwrites from `used` on. */
  function readHere({ file, size }: Sized): Buffer {
    if (slab.length - used <= size) [slab, used] = [Buffer.allocUnsafeSlow(SLAB_BYTES), 0]
    const fd = openSync(file, READ_AT_ONCE)
    try {
      let length = 0
      // The byte after the last one shows that the file has grown.
      for (let read = 1; read > 0 && length <= size && !(length === size && size > 0); length += read)
        read = readSync(fd, slab, used + length, size + 1 - length, length)
      return slab.subarray(used, used + length)
    } catch (error) {
      throw readError(error, file)
    } finally {
      closeSync(fd)
    }
  }

  /** Calls `take` with the file's bytes, which stay as they are where it returns true. */
  async function read<T>(from: Sized, take: (bytes: Buffer) => { readonly value: T; readonly isKept: boolean }) {
    if (nowMs() - turnedMs > TURN_MS) {
      await turn()
      turnedMs = nowMs()
    }
    if (elsewhere > 0 || !from.isNear) {
      elsewhere = Math.max(0, elsewhere - 1)
      return take(await readSmall(from.file, from.size)).value
    }
    const startedMs = nowMs()
    const bytes = readHere(from)
    const { value, isKept } = take(bytes)
    if (isKept) used += bytes.length
    if (nowMs() - startedMs > SLOW_MS) {
      elsewhere = ifSlow
      ifSlow = Math.min(MOST_ELSEWHERE, ifSlow * 2)
    } else ifSlow = FEWEST_ELSEWHERE
    return value
  }

  return {
    /** The digest of the file; its bytes are kept if they are `wanted` and there is room. `see` gets them all. */
    digest: (file: Sized, see: (bytes: Buffer) => void, isWanted: (sha256: string) => boolean): Promise<string> =>
      read(file, (bytes) => {
        const sha256 = hash('sha256', bytes)
        see(bytes)
        const isKept = bytes.length === file.size && bytes.length <= room && !kept.has(sha256) && isWanted(sha256)
        if (isKept) {
          kept.set(sha256, bytes)
          room -= bytes.length
        }
        return { value: sha256, isKept }
      }),
    /** What a digest has kept. */
    kept: (sha256: string): Buffer | undefined => kept.get(sha256),
    /** The bytes of the digest, kept or from the file; null if that has others by now. They are kept no more. */
    async take(file: Sized, sha256: string): Promise<Buffer | null> {
      const known = kept.get(sha256)
      if (known) {
        kept.delete(sha256)
        room += known.length
        return known
      }
      const bytes = await read(file, (some) => ({ value: some, isKept: true }))
      return bytes.length === file.size && hash('sha256', bytes) === sha256 ? bytes : null
    },
  }
}
