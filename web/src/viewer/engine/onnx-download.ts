/** ONNX Runtime of a page: its bytes are counted for the person who waits for them. */
import { browserRuntime } from '@hub/policy-server/model/browser-runtime'
import address from 'onnxruntime-web/ort-wasm-simd-threaded.wasm?url'
import type { TellBytes } from '../drive/drive-protocol.ts'
import { countedBytes } from './counted-bytes.ts'

/** Of the file, which is sent compressed: the build writes the number here. */
declare const ONNX_BYTES: number

let downloaded: Promise<ArrayBuffer> | null = null

/** Downloads it once for a page. Rejects in words where its bytes do not come; the next call asks for them again. */
export async function downloadedRuntime(tell: TellBytes) {
  const runtime = await browserRuntime()
  downloaded ??= bytesOf(tell)
  try {
    runtime.env.wasm.wasmBinary = await downloaded
  } catch (error) {
    downloaded = null
    const why = error instanceof Error ? error.message : String(error)
    throw new Error(`ONNX Runtime was not downloaded: ${why} Check your connection, and choose Drive again.`, {
      cause: error,
    })
  }
  return runtime
}

async function bytesOf(tell: TellBytes): Promise<ArrayBuffer> {
  const answer = await fetch(address)
  if (!answer.ok) throw new Error(`The answer was ${answer.status}.`)
  const copy = answer.clone().body
  const [bytes] = await Promise.all([
    answer.arrayBuffer(),
    copy && countedBytes(copy, (done) => tell(done, ONNX_BYTES)),
  ])
  return bytes
}
