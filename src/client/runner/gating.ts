/** Whether and how a runner gates the checkpoints of a run that it executes. */
import type { RemoteRun } from '../run-shapes.ts'
import { type Background, background } from './background.ts'
import { gateOf } from './battery.ts'
import { createGater, type Gater, type GaterOptions } from './gate-checkpoints.ts'

export interface Gating extends Background, Pick<Gater, 'close' | 'isAskedToStop'> {}

const nothing: Gating = {
  look: () => undefined,
  finish: async () => undefined,
  close: async () => undefined,
  isAskedToStop: () => false,
}

type Options = Omit<GaterOptions, 'spec' | 'command'> & {
  /** Without one no checkpoint is gated. */
  readonly command: string | undefined
  readonly everyMs: number
}

/** Looks for checkpoints every `everyMs`; a run that this runner cannot gate as its recipe asks is said so, once. */
export function gatingOf(run: RemoteRun, { command, everyMs, ...options }: Options): Gating {
  const { tell } = options
  const spec = gateOf(run.recipe)
  if (!spec) return nothing
  if (spec.executor === 'hosted') {
    tell('its checkpoints are to be gated by hosted rollouts, not by this runner')
    return nothing
  }
  if (command === undefined) {
    tell('its checkpoints are to be gated, and this runner has no --battery-command: none is gated')
    return nothing
  }
  const gater = createGater({ ...options, spec, command })
  const looks = background(gater.look, { what: 'gates', everyMs, tell })
  return { ...looks, close: gater.close, isAskedToStop: gater.isAskedToStop }
}
