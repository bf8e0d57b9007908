/** Decides whether and how a runner gates the checkpoints of its run. */
import type { RemoteRun } from '@hub/client/run-shapes'
import { type BackgroundTask, backgroundTask } from './background.ts'
import { gateOf } from './battery.ts'
import { createGater, type Gater, type GaterOptions } from './gate-checkpoints.ts'

export interface Gating extends BackgroundTask, Pick<Gater, 'close' | 'stopRequested'> {}

const disabled: Gating = {
  poll: () => undefined,
  finish: async () => undefined,
  close: async () => undefined,
  stopRequested: () => false,
}

type Options = Omit<GaterOptions, 'spec' | 'command'> & {
  /** Without one no checkpoint is gated. */
  readonly command: string | undefined
  readonly everyMs: number
}

/** Polls for checkpoints every `everyMs`. Logs once if this runner cannot gate as the recipe asks. */
export function startGating(run: RemoteRun, { command, everyMs, ...options }: Options): Gating {
  const { logLine } = options
  const spec = gateOf(run.recipe)
  if (!spec) return disabled
  if (spec.executor === 'hosted') {
    logLine('its recipe asks for gating by hosted rollouts, not by this runner')
    return disabled
  }
  if (command === undefined) {
    logLine('its recipe asks for gating, but this runner has no --battery-command: no checkpoint is gated')
    return disabled
  }
  const gater = createGater({ ...options, spec, command })
  const task = backgroundTask(gater.poll, { what: 'gates', everyMs, logLine })
  return { ...task, close: gater.close, stopRequested: gater.stopRequested }
}
