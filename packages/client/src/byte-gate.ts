/** Limits how many bytes are in progress at once: what a kill makes a client send again. */

/** Waits until `bytes` more fit; the result frees them again, once. */
export type ByteGate = (bytes: number) => Promise<() => void>

/** At most `limit` bytes at once, in the order asked; more than that at once only alone. */
export function byteGate(limit: number): ByteGate {
  const waiting: Array<{ bytes: number; open(): void }> = []
  let used = 0

  function admit(): void {
    for (let next = waiting[0]; next && (used === 0 || used + next.bytes <= limit); next = waiting[0]) {
      waiting.shift()
      used += next.bytes
      next.open()
    }
  }

  return async (bytes) => {
    await new Promise<void>((open) => {
      waiting.push({ bytes, open })
      admit()
    })
    let held = true
    return () => {
      if (held) used -= bytes
      held = false
      admit()
    }
  }
}
