/** Digests of files, away from the page: bytes are read in portions, so that a file of 50 GiB needs no more memory. */
import { createMD5, createSHA256 } from 'hash-wasm'
import type { DigestAnswer, DigestRequest } from './digests.ts'

/** 4 MiB: few enough turns to be fast, small enough to tell of progress. */
const PORTION_BYTES = 4 * 1_048_576

const say = (answer: DigestAnswer) => postMessage(answer)

addEventListener('message', async ({ data: { id, blob, algorithm } }: MessageEvent<DigestRequest>) => {
  try {
    const hasher = await (algorithm === 'md5' ? createMD5() : createSHA256())
    for (let at = 0; at < blob.size; at += PORTION_BYTES) {
      const bytes = new Uint8Array(await blob.slice(at, at + PORTION_BYTES).arrayBuffer())
      hasher.update(bytes)
      say({ id, bytes: bytes.length })
    }
    say({ id, digest: hasher.digest('hex') })
  } catch {
    say({ id, fault: 'The browser cannot read this file: it may have been changed or removed.' })
  }
})
