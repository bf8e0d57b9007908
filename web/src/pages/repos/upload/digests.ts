/** Digests of files, computed in a worker one after another. */

export interface DigestRequest {
  readonly id: number
  readonly blob: Blob
  readonly algorithm: 'sha256' | 'md5'
}

export type DigestAnswer =
  /** Bytes that were read since the last answer. */
  | { readonly id: number; readonly bytes: number }
  | { readonly id: number; readonly digest: string }
  | { readonly id: number; readonly fault: string }

export interface Digests {
  /** Lower-case hex. `read` is told of bytes as they are read. Rejects where the file cannot be read. */
  digest(blob: Blob, algorithm: DigestRequest['algorithm'], read?: (bytes: number) => void): Promise<string>
  /** Ends the worker; what it has not answered rejects. */
  close(): void
}

interface Waiting {
  readonly resolve: (digest: string) => void
  readonly reject: (reason: Error) => void
  readonly read: (bytes: number) => void
}

export function openDigests(): Digests {
  const worker = new Worker(new URL('./digest-worker.ts', import.meta.url), { type: 'module', name: 'digests' })
  const waiting = new Map<number, Waiting>()
  let last = 0
  const endAll = (why: string) => {
    for (const { reject } of waiting.values()) reject(new Error(why))
    waiting.clear()
  }
  worker.addEventListener('message', ({ data }: MessageEvent<DigestAnswer>) => {
    const one = waiting.get(data.id)
    if (!one) return
    if ('bytes' in data) return one.read(data.bytes)
    waiting.delete(data.id)
    if ('digest' in data) one.resolve(data.digest)
    else one.reject(new Error(data.fault))
  })
  worker.addEventListener('error', () => endAll('Digests cannot be computed in this browser.'))
  return {
    digest: (blob, algorithm, read = () => undefined) =>
      new Promise((resolve, reject) => {
        last += 1
        waiting.set(last, { resolve, reject, read })
        worker.postMessage({ id: last, blob, algorithm } satisfies DigestRequest)
      }),
    close() {
      worker.terminate()
      endAll('The upload was stopped.')
    },
  }
}
