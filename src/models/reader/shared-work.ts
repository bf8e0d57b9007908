/** Deduplicates concurrent work. */

interface Running<T> {
  readonly result: Promise<T>
  readonly controller: AbortController
  askers: number
}

/** Returns a function that joins running work with the same key; the work is aborted when its last caller has gone. */
export function sharedWork<T>() {
  const running = new Map<string, Running<T>>()
  return async (key: string, signal: AbortSignal, start: (signal: AbortSignal) => Promise<T>): Promise<T> => {
    signal.throwIfAborted()
    const work = running.get(key) ?? begin(running, key, start)
    work.askers += 1
    const gone = Promise.withResolvers<never>()
    const leave = () => gone.reject(signal.reason)
    signal.addEventListener('abort', leave, { once: true })
    try {
      return await Promise.race([work.result, gone.promise])
    } finally {
      signal.removeEventListener('abort', leave)
      work.askers -= 1
      if (work.askers === 0) {
        // No caller may join work that is being aborted.
        if (running.get(key) === work) running.delete(key)
        work.controller.abort(new Error('Every caller has stopped waiting for it.'))
      }
    }
  }
}

function begin<T>(
  running: Map<string, Running<T>>,
  key: string,
  start: (signal: AbortSignal) => Promise<T>,
): Running<T> {
  const controller = new AbortController()
  const work: Running<T> = { result: start(controller.signal), controller, askers: 0 }
  running.set(key, work)
  const end = () => {
    if (running.get(key) === work) running.delete(key)
  }
  work.result.then(end, end)
  return work
}
