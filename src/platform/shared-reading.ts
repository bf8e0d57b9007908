/** One reading for everyone who asks for it. */

/**
 * What `read` gives, to all who ask while it is made and for `freshMs` after that. A failure is told to those who wait,
 * and not kept.
 */
export function sharedFor<T>(freshMs: number, read: () => Promise<T>): () => Promise<T> {
  let last: { readonly reading: Promise<T>; staleAt: number } | null = null
  return () => {
    if (last !== null && performance.now() < last.staleAt) return last.reading
    const made = { reading: read(), staleAt: Number.POSITIVE_INFINITY }
    last = made
    made.reading.then(
      () => {
        made.staleAt = performance.now() + freshMs
      },
      () => {
        if (last === made) last = null
      },
    )
    return made.reading
  }
}
