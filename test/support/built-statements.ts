/** Every statement that the modules of src/ build, with what it declares and where it stands. */
import { Worker } from 'node:worker_threads'
import type { Declared } from '../../src/store/sql-types.ts'

export interface DeclaredColumn {
  readonly name: string
  readonly sql: string
  readonly declared: Declared | null
}

export interface DeclaredParam {
  readonly name: string
  readonly declared: Declared | null
}

export interface BuiltStatement {
  /** `src/runs/create/create-run.ts:36`. */
  readonly at: string
  readonly name: string
  readonly text: string
  readonly columns: readonly DeclaredColumn[]
  /** In the order of `$1`, `$2`, …. */
  readonly params: readonly DeclaredParam[]
}

/** Builds them in a thread of its own, since a module that was loaded before has built its own already. */
export function builtStatements(): Promise<BuiltStatement[]> {
  const { promise, resolve, reject } = Promise.withResolvers<BuiltStatement[]>()
  const worker = new Worker(new URL('./build-statements.ts', import.meta.url))
  worker.once('message', resolve)
  worker.once('error', reject)
  worker.once('exit', () => reject(new Error('The thread ended without its statements.')))
  return promise.finally(() => worker.terminate())
}
