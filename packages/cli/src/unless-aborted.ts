/**
 * What `work` comes to, or null as soon as the signal aborts; the work goes on then. In a loop this is not
 * `Promise.race` with a promise that lives long: that keeps what each race added until it is settled: some hundred bytes.
 */
export async function unlessAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T | null> {
  let onAbort = () => {}
  const aborted = new Promise<null>((resolve) => {
    onAbort = () => resolve(null)
  })
  if (signal.aborted) onAbort()
  signal.addEventListener('abort', onAbort)
  try {
    return await Promise.race([work, aborted])
  } finally {
    signal.removeEventListener('abort', onAbort)
  }
}
