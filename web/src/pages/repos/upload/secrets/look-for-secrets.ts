/** Looks for secrets in files before they are sent, by the rules of `hub push`. */
import { isLookedInto, LOOK_MS, type SecretInFile } from '@hub/client/secrets'
import type { Picked } from '../picked-files.ts'
import type { LookedFile, SecretsAnswer } from './secrets-worker.ts'

/** A rule that never ends on a text is ended by the page. */
const GRACE_MS = 15_000

export interface Looked {
  readonly found: readonly SecretInFile[]
  /** Files that there was no time for. */
  readonly left: number
}

/** `looked` is told how many files are looked into, and how many there are. Rejects with the signal's reason alone. */
export function lookForSecrets(
  picked: readonly Picked[],
  looked: (done: number, all: number) => void,
  signal: AbortSignal,
): Promise<Looked> {
  const files = picked.flatMap(({ path, file }): LookedFile[] =>
    isLookedInto(file) ? [{ path, size: file.size, file }] : [],
  )
  if (files.length === 0) return Promise.resolve({ found: [], left: 0 })
  const worker = new Worker(new URL('./secrets-worker.ts', import.meta.url), { type: 'module', name: 'secrets' })
  let done = 0
  let timer: ReturnType<typeof setTimeout> | undefined
  looked(done, files.length)
  return new Promise<Looked>((resolve, reject) => {
    const unfinished = () => resolve({ found: [], left: files.length - done })
    timer = setTimeout(unfinished, LOOK_MS + GRACE_MS)
    signal.addEventListener('abort', () => reject(signal.reason), { once: true })
    worker.addEventListener('error', unfinished)
    worker.addEventListener('message', ({ data }: MessageEvent<SecretsAnswer>) => {
      if (data !== 'looked') return resolve(data)
      done += 1
      looked(done, files.length)
    })
    worker.postMessage(files)
  }).finally(() => {
    clearTimeout(timer)
    worker.terminate()
  })
}
