/**
 * The process that runs the engine: nothing of the worker's environment, bounded memory, and a kernel limit that ends
 * it even if the worker is dead.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { programOf } from '@hub/runner/worker/own-program'
import type { EngineLimits } from './limits.ts'

/**
 * `$1` is the processor time in s. The limit is a soft one, so that its end is SIGXCPU and not like any other; no core
 * is written.
 */
const wrapper = 'ulimit -c 0; ulimit -S -t "$1"; shift; exec "$@"'

/** JavaScript's own: facts of 100,000 objects, and the text of a converted model. */
const HEAP_MIB = 256

const PAGES_PER_MIB = 16

/** MuJoCo's parser and compiler recurse with the tree of bodies. */
const STACK_KIB = 3_900

/** Starts it as a group of its own. `program`: a module in the place of the engine's own, with its arguments. */
export function spawnEngine(
  { processorS, memoryMiB }: Pick<EngineLimits, 'processorS' | 'memoryMiB'>,
  program: readonly string[] = programOf(new URL('./engine-child.ts', import.meta.url)),
): ChildProcess {
  const node = [
    process.execPath,
    `--wasm-max-mem-pages=${memoryMiB * PAGES_PER_MIB}`,
    `--max-old-space-size=${HEAP_MIB}`,
    `--stack-size=${STACK_KIB}`,
    ...program,
  ]
  return spawn('/bin/sh', ['-c', wrapper, 'hub-engine', String(Math.ceil(processorS)), ...node], {
    detached: true,
    env: {},
    // The last one is `SCENE_FD`.
    stdio: ['ignore', 'ignore', 'pipe', 'ipc', 'pipe'],
  })
}

/** Ends the process and everything that it started. */
export function killEngine({ pid, exitCode, signalCode }: ChildProcess): void {
  // The number of one that was seen to end may be another's by now.
  if (pid === undefined || exitCode !== null || signalCode !== null) return
  try {
    process.kill(-pid, 'SIGKILL')
  } catch {
    // It has ended already.
  }
}
