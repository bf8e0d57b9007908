/** A value that is computed when it is first read, once. An error is not kept: the next read tries again. */
export function lazy<T>(compute: () => T): () => T {
  let made: { readonly value: T } | undefined
  return () => {
    made ??= { value: compute() }
    return made.value
  }
}
