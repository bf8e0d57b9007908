/**
 * The thread of a model: ONNX Runtime as WebAssembly on one core, without network. It loads the file that it is given,
 * and then answers one request after another.
 */
import { readFile } from 'node:fs/promises'
import { parentPort, workerData } from 'node:worker_threads'
import type { RunRequest, ThreadMessage } from './model-messages.ts'
import { nodeRuntime } from './node-runtime.ts'
import { type OnnxSession, openOnnx } from './onnx-session.ts'

const send = (message: ThreadMessage, moved: ArrayBuffer[] = []) => parentPort?.postMessage(message, moved)

async function run(session: OnnxSession, { id, feeds }: RunRequest): Promise<void> {
  const startedMs = performance.now()
  try {
    const outputs = await session.run(feeds)
    const ms = performance.now() - startedMs
    send(
      { kind: 'done', id, outputs, ms },
      Object.values(outputs).map(({ data }) => data.buffer as ArrayBuffer),
    )
  } catch (error) {
    send({ kind: 'rejected', id, why: error instanceof Error ? error.message : String(error) })
  }
}

try {
  const session = await openOnnx(await nodeRuntime(), await readFile((workerData as { readonly path: string }).path))
  const face = { inputs: session.inputs, outputs: session.outputs }
  parentPort?.on('message', (request: RunRequest) => void run(session, request))
  send({ kind: 'ready', face })
} catch (error) {
  send({ kind: 'refused', why: error instanceof Error ? error.message : String(error) })
}
