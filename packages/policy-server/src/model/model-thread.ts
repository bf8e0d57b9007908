/**
 * The thread of a model: ONNX Runtime as WebAssembly on one core, without network. It loads the file that it is given,
 * and then answers one request after another.
 */
import { readFile } from 'node:fs/promises'
import { parentPort, workerData } from 'node:worker_threads'
import type { InferenceSession } from 'onnxruntime-web'
import { isElementType, type Tensor, type TensorSpec } from '../wire/tensors.ts'
import type { ModelFace, RunRequest, ThreadMessage } from './model-messages.ts'

// Loaded where it runs: most installations of the command line do without it.
const runtime = await import('onnxruntime-web')
const { env, Tensor: OrtTensor } = runtime
env.wasm.numThreads = 1
env.logLevel = 'fatal'

const send = (message: ThreadMessage, moved: ArrayBuffer[] = []) => parentPort?.postMessage(message, moved)

/** As onnxruntime-web fills them in; its type allows for values that are no tensors. */
type Metadata = InferenceSession.ValueMetadata

function specOf(value: Metadata): TensorSpec {
  const { name } = value
  if (!value.isTensor) throw new Error(`${JSON.stringify(name)} is no tensor.`)
  if (!isElementType(value.type)) throw new Error(`${JSON.stringify(name)} is of ${value.type}, which is not served.`)
  const shape = value.shape.map((size) => (typeof size === 'number' && size <= 0 ? '' : size))
  return { name, type: value.type, shape }
}

async function load(path: string): Promise<{ readonly session: InferenceSession; readonly face: ModelFace }> {
  const session = await runtime.InferenceSession.create(await readFile(path), { executionProviders: ['wasm'] })
  return { session, face: { inputs: session.inputMetadata.map(specOf), outputs: session.outputMetadata.map(specOf) } }
}

async function run(session: InferenceSession, { id, feeds }: RunRequest): Promise<void> {
  const startedMs = performance.now()
  try {
    const given = Object.entries(feeds).map(([name, { type, data, dims }]) => [
      name,
      new OrtTensor(type, data as never, dims),
    ])
    const results = await session.run(Object.fromEntries(given))
    const ms = performance.now() - startedMs
    const outputs: Record<string, Tensor> = {}
    // A copy: what the runtime returns may be a view of all of its memory.
    for (const [name, { type, dims, data }] of Object.entries(results))
      if (isElementType(type)) outputs[name] = { type, dims, data: (data as Float32Array).slice() }
    send(
      { kind: 'done', id, outputs, ms },
      Object.values(outputs).map(({ data }) => data.buffer as ArrayBuffer),
    )
  } catch (error) {
    send({ kind: 'rejected', id, why: error instanceof Error ? error.message : String(error) })
  }
}

try {
  const { session, face } = await load((workerData as { readonly path: string }).path)
  parentPort?.on('message', (request: RunRequest) => void run(session, request))
  send({ kind: 'ready', face })
} catch (error) {
  send({ kind: 'refused', why: error instanceof Error ? error.message : String(error) })
}
