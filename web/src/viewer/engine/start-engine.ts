/** The page's end of the worker that runs MuJoCo. */
import type { FromEngine, OpenRequest, ToEngine } from '../protocol.ts'

export interface Engine {
  /** `moved`: memory that the worker gets, and the page has no more. */
  send(message: ToEngine, moved?: Transferable[]): void
  /** Ends the worker and frees its memory. */
  end(): void
}

export interface EngineListener {
  /** Addresses of files, in the order of the paths. */
  sign(paths: readonly string[]): Promise<readonly string[]>
  hear(message: Exclude<FromEngine, { readonly kind: 'sign' }>): void
  /** The worker did not load, or ended by itself. */
  crash(why: string): void
}

export function startEngine(request: OpenRequest, { sign, hear, crash }: EngineListener): Engine {
  const worker = new Worker(new URL('./engine-worker.ts', import.meta.url), { type: 'module', name: 'mujoco' })
  const send = (message: ToEngine, moved: Transferable[] = []) => worker.postMessage(message, moved)
  worker.onmessage = ({ data: message }: MessageEvent<FromEngine>) => {
    if (message.kind !== 'sign') return hear(message)
    sign(message.paths).then(
      (urls) => send({ kind: 'signed', id: message.id, urls }),
      (error: unknown) =>
        send({ kind: 'unsigned', id: message.id, why: error instanceof Error ? error.message : String(error) }),
    )
  }
  worker.onerror = (event) => crash(event.message || 'The worker of the viewer did not load.')
  send({ kind: 'open', ...request })
  return { send, end: () => worker.terminate() }
}
