/**
 * MuJoCo itself over one model, in a process that ends at its limits: whatever the model contains, the result is a
 * value.
 */
import type { ChildProcess } from 'node:child_process'
import type { ModelFacts } from '@hub/robot-view/physics/model-facts'
import type { EngineJob, FromEngine, SimulationFacts } from './protocol.ts'
import { scenePipe } from './scene-pipe.ts'
import { killEngine, spawnEngine } from './spawn-engine.ts'

/** How the engine ended. `error`: MuJoCo's message, or what is known about a crash. */
export type EngineEnd =
  | { readonly why: 'done' }
  | { readonly why: 'refused'; readonly error: string; readonly stage: 'source' | 'converted' }
  | { readonly why: 'time' | 'memory' }
  | { readonly why: 'crash'; readonly error: string }

/** All that was found before the end. */
export interface EngineRun {
  readonly version: string | null
  readonly converted: string | null
  readonly facts: ModelFacts | null
  readonly simulation: SimulationFacts | null
  /**
   * The bytes of `encodeScene`, or why there are none; null where the model was not stepped to its end or no scene was
   * asked for.
   */
  readonly scene: Uint8Array<ArrayBuffer> | { readonly missing: string } | null
  readonly end: EngineEnd
}

/**
 * Rejects with `signal`'s reason, or where no process can be made; never for what a model holds. `log` gets MuJoCo's
 * warnings.
 */
export async function runEngine(job: EngineJob, log: (line: string) => void, signal: AbortSignal): Promise<EngineRun> {
  signal.throwIfAborted()
  const engine = spawnEngine(job.limits)
  const ended = Promise.withResolvers<EngineEnd>()
  const found: { -readonly [Key in keyof EngineRun]?: EngineRun[Key] } = {}
  const stderr = tailOf(engine)
  const pipe = scenePipe(engine, job.scene?.maxBytes ?? 0)
  let drawn: number | { readonly missing: string } | null = null
  let reported: EngineEnd | null = null
  const onMessage = (message: FromEngine) => {
    switch (message.kind) {
      case 'ready':
        found.version = message.version
        engine.send(job)
        return
      case 'log':
        return log(message.line)
      case 'converted':
        found.converted = message.text
        return
      case 'compiled':
        found.facts = message.facts
        return
      case 'stepped':
        found.simulation = message.simulation
        for (const line of message.simulation.warnings) log(line)
        reported = { why: 'done' }
        return
      case 'drawn':
        drawn = message.sceneBytes
        return
      case 'undrawn':
        drawn = { missing: message.why }
        return
      case 'refused':
        reported = { why: 'refused', error: message.error, stage: message.stage }
        return
      case 'failed':
        reported = message.memory ? { why: 'memory' } : { why: 'crash', error: message.error }
    }
  }
  const onAbort = () => ended.reject(signal.reason)
  // Wall-clock time, since a process may also wait forever.
  const clock = setTimeout(() => ended.resolve(reported ?? { why: 'time' }), 3_000 * job.limits.processorS)
  engine
    .on('message', onMessage)
    .on('error', (error) => ended.reject(error))
    .once('close', (code, killedBy) => ended.resolve(reported ?? deathOf(code, killedBy, stderr())))
  signal.addEventListener('abort', onAbort, { once: true })
  try {
    const end = await ended.promise
    const scene = typeof drawn === 'number' ? (pipe.arrived(drawn) ?? cut) : drawn
    return { version: null, converted: null, facts: null, simulation: null, ...found, scene, end }
  } finally {
    clearTimeout(clock)
    signal.removeEventListener('abort', onAbort)
    killEngine(engine)
  }
}

const cut = { missing: 'The scene of the model did not arrive whole.' }

/** V8 aborts when its heap is full. */
function deathOf(code: number | null, killedBy: NodeJS.Signals | null, stderr: string): EngineEnd {
  if (killedBy === 'SIGXCPU') return { why: 'time' }
  if (killedBy === 'SIGABRT' || code === 134) return { why: 'memory' }
  return { why: 'crash', error: `It ended with ${killedBy ?? `exit code ${code}`}. ${stderr}`.trim() }
}

const STDERR_TAIL_CHARS = 2_000

function tailOf(engine: ChildProcess): () => string {
  let tail = ''
  engine.stderr?.on('data', (chunk: Buffer) => {
    tail = `${tail}${chunk}`.slice(-STDERR_TAIL_CHARS)
  })
  return () => tail
}
