/** A promise that is settled from outside. Node 20, which the package is for, lacks `Promise.withResolvers`. */
export interface Deferred<T> {
  readonly promise: Promise<T>
  readonly resolve: (value: T) => void
  readonly reject: (reason: unknown) => void
}

/** One that is open. */
export function deferred<T>(): Deferred<T> {
  let settle: Omit<Deferred<T>, 'promise'> | undefined
  const promise = new Promise<T>((resolve, reject) => {
    settle = { resolve, reject }
  })
  // The executor has run.
  return { promise, ...(settle as Omit<Deferred<T>, 'promise'>) }
}
