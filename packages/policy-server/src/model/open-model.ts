/**
 * A model in a thread of its own, so that the server answers others while it computes. One observation at a time, in
 * the order of arrival.
 */
import { Worker } from 'node:worker_threads'
import { LocalError } from '@hub/client/internal'
import { programOf } from '@hub/runner/worker/own-program'
import { FrameFault } from '../wire/frame-fault.ts'
import type { Tensor } from '../wire/tensors.ts'
import type { ModelFace, ThreadMessage } from './model-messages.ts'

interface Inference {
  readonly outputs: Readonly<Record<string, Tensor>>
  /** Of the computation alone. */
  readonly ms: number
}

export interface PolicyModel extends ModelFace {
  /** Rejects with a `FrameFault` if the model rejects these values, and with the reason once it has failed. */
  run(feeds: Readonly<Record<string, Tensor>>): Promise<Inference>
  /**
   * Resolves with the reason when the thread ends, or an inference takes longer than `runMs`; never if it is closed
   * before.
   */
  readonly failed: Promise<Error>
  close(): Promise<void>
}

interface Waiting {
  readonly done: (inference: Inference) => void
  readonly failed: (error: Error) => void
}

/** Loads the file. Rejects with a `LocalError` for one that is not a model, or has inputs that are not served. */
export async function openModel(path: string, runMs: number): Promise<PolicyModel> {
  const [file, ...argv] = programOf(new URL('./model-thread.ts', import.meta.url))
  const thread = new Worker(file, { argv, workerData: { path }, execArgv: [] })
  const waiting = new Map<number, Waiting>()
  const ready = Promise.withResolvers<ModelFace>()
  const failure = Promise.withResolvers<Error>()
  let lastError: Error | null = null
  let [isClosed, count] = [false, 0]
  let timer: NodeJS.Timeout | null = null

  const fail = (error: Error) => {
    lastError ??= error
    ready.reject(new LocalError(lastError.message))
    if (!isClosed) failure.resolve(lastError)
    for (const { failed } of waiting.values()) failed(lastError)
    waiting.clear()
    if (timer) clearTimeout(timer)
    void thread.terminate()
  }
  /** Of the oldest request: the thread computes one at a time. */
  const watch = () => {
    if (timer) clearTimeout(timer)
    timer = null
    if (waiting.size > 0)
      timer = setTimeout(() => fail(new Error(`An inference took longer than ${runMs / 1000} s.`)), runMs)
  }
  const settle = (id: number, use: (one: Waiting) => void) => {
    const one = waiting.get(id)
    waiting.delete(id)
    watch()
    if (one) use(one)
  }
  thread.on('message', (message: ThreadMessage) => {
    if (message.kind === 'ready') ready.resolve(message.face)
    else if (message.kind === 'refused') fail(new Error(`The model cannot be served: ${message.why}`))
    else if (message.kind === 'done') settle(message.id, ({ done }) => done(message))
    else settle(message.id, ({ failed }) => failed(new FrameFault(`The model rejected it: ${message.why}`)))
  })
  thread.on('error', (error) => fail(new Error(`The model failed: ${error instanceof Error ? error.message : error}`)))
  thread.on('exit', (code) => fail(new Error(`The model's thread ended with code ${code}.`)))

  return {
    ...(await ready.promise),
    failed: failure.promise,
    run: (feeds) =>
      new Promise((done, failed) => {
        if (lastError) return failed(lastError)
        count += 1
        waiting.set(count, { done, failed })
        if (waiting.size === 1) watch()
        thread.postMessage({ id: count, feeds })
      }),
    async close() {
      isClosed = true
      if (timer) clearTimeout(timer)
      await thread.terminate()
    },
  }
}
