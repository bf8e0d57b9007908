/**
 * A model over ONNX Runtime as WebAssembly on one core: in the thread of a server, in the process of a rollout, and in
 * the worker of a page. One binary and one thread: the same feeds give the same bits in all of them.
 */
import type { env, InferenceSession, Tensor as OrtTensor } from 'onnxruntime-web'
import { isElementType, type Tensor, type TensorSpec } from '../wire/tensors.ts'
import type { ModelFace } from './model-messages.ts'

/** The package, or its part for browsers. */
interface OnnxRuntime {
  readonly env: typeof env
  readonly InferenceSession: typeof InferenceSession
  readonly Tensor: typeof OrtTensor
}

export interface OnnxSession extends ModelFace {
  /** Rejects with the runtime's own error where the model rejects the values. */
  run(feeds: Readonly<Record<string, Tensor>>): Promise<Readonly<Record<string, Tensor>>>
  /** Frees the memory of the model. */
  close(): Promise<void>
}

/** As onnxruntime-web fills them in; its type allows for values that are not tensors. */
type Metadata = InferenceSession.ValueMetadata

function specOf(value: Metadata): TensorSpec {
  const { name } = value
  if (!value.isTensor) throw new Error(`${JSON.stringify(name)} is not a tensor.`)
  if (!isElementType(value.type)) throw new Error(`${JSON.stringify(name)} is of ${value.type}, which is not served.`)
  const shape = value.shape.map((size) => (typeof size === 'number' && size <= 0 ? '' : size))
  return { name, type: value.type, shape }
}

/** Rejects for bytes that are not a model, and for a model with inputs or outputs of a type that is not served. */
export async function openOnnx(runtime: OnnxRuntime, bytes: Uint8Array): Promise<OnnxSession> {
  runtime.env.wasm.numThreads = 1
  runtime.env.logLevel = 'fatal'
  const session = await runtime.InferenceSession.create(bytes, { executionProviders: ['wasm'] })
  return {
    inputs: session.inputMetadata.map(specOf),
    outputs: session.outputMetadata.map(specOf),
    async run(feeds) {
      const given = Object.entries(feeds).map(([name, { type, data, dims }]) => [
        name,
        new runtime.Tensor(type, data as never, dims),
      ])
      const results = await session.run(Object.fromEntries(given))
      const outputs: Record<string, Tensor> = {}
      // A copy: what the runtime returns may be a view of all of its memory.
      for (const [name, { type, dims, data }] of Object.entries(results))
        if (isElementType(type)) outputs[name] = { type, dims, data: (data as Float32Array).slice() }
      return outputs
    },
    close: () => session.release(),
  }
}
