/** How many bytes of a stream have come. Pure but for the clock. */

/** A person reads no faster. */
const TELL_EVERY_MS = 100

/** Reads to the end and keeps nothing. `tell`: all bytes so far, now and then and once at the end. */
export async function countedBytes(
  stream: ReadableStream<Uint8Array>,
  tell: (doneBytes: number) => void,
  now: () => number = () => performance.now(),
): Promise<void> {
  const reader = stream.getReader()
  let done = 0
  let toldAt = Number.NEGATIVE_INFINITY
  for (;;) {
    const part = await reader.read()
    if (part.done) return tell(done)
    done += part.value.length
    if (now() - toldAt < TELL_EVERY_MS) continue
    toldAt = now()
    tell(done)
  }
}
