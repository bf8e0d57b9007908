/** What Node 20 does not have yet of what the command's code uses. */
Promise.withResolvers ??= function withResolvers<T>() {
  let resolve!: (value: T | PromiseLike<T>) => void
  let reject!: (reason?: unknown) => void
  const promise = new Promise<T>((resolved, rejected) => {
    resolve = resolved
    reject = rejected
  })
  return { promise, resolve, reject }
}
URL.parse ??= (url, base) => (URL.canParse(url, base) ? new URL(url, base) : null)
