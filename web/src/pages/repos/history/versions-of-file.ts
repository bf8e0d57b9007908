/** The texts of a file in two versions, and what differs between them. */

import { fetchFile } from '../../../files/fetch-file.ts'
import { PageError } from '../../../ui/problem.ts'
import { firstBytes } from '../read-start.ts'
import { resolvePath } from '../repo-links.ts'
import type { DiffRequest } from './diff-worker.ts'
import type { TextDiff } from './text-diff.ts'

/** Larger texts are not compared on a page. */
export const MOST_TEXT_BYTES = 1024 * 1024

/** `GET` leads to the bytes of the file as the version has it. */
export const resolveAt = (owner: string, repo: string, path: string, at: string): string =>
  `${resolvePath(owner, repo, path)}?${new URLSearchParams({ at })}`

/** Null for bytes that are not text, or too many. Rejects with what a person can be told. */
export async function readText(address: string, signal: AbortSignal): Promise<string | null> {
  const answer = await fetchFile(address, { signal })
  if (!answer.ok || answer.body === null)
    throw new PageError('The file is not read', `The file cannot be read now (HTTP ${answer.status}).`)
  const { bytes, isCut } = await firstBytes(answer.body, MOST_TEXT_BYTES)
  if (isCut) return null
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes)
    return text.includes('\u0000') ? null : text
  } catch {
    return null
  }
}

/** In a worker, which ends with the answer or the signal. Null where the texts are too different to compare in time. */
export function diffInWorker(texts: DiffRequest, signal: AbortSignal): Promise<TextDiff | null> {
  const worker = new Worker(new URL('./diff-worker.ts', import.meta.url), { type: 'module', name: 'diff' })
  return new Promise<TextDiff | null>((resolve, reject) => {
    worker.addEventListener('message', ({ data }: MessageEvent<TextDiff | null>) => resolve(data))
    worker.addEventListener('error', () => reject(new Error('Texts cannot be compared in this browser.')))
    signal.addEventListener('abort', () => reject(signal.reason), { once: true })
    worker.postMessage(texts)
  }).finally(() => worker.terminate())
}
