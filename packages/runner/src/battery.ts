/** The battery: the operator's command that evaluates a checkpoint in simulation and writes its results to a file. */
import { mkdir, readFile, rm } from 'node:fs/promises'
import { readAs } from '@hub/client/run-shapes'
import { z } from 'zod'
import { startCommand } from './command.ts'
import type { GateFiles, RunFiles } from './run-files.ts'
import { lastLine } from './run-result.ts'
import type { ProcessName } from './worker/living-process.ts'

const whole = z.number().int()
const count = readAs(whole)

/** The fields of `recipe.gate` that a runner uses (spec, CheckpointGateSpec). */
const gateSpec = z.looseObject({
  every_steps: readAs(whole.min(1)),
  battery: z.string().nullish(),
  seeds: count.nullish(),
  delay: count.nullish(),
  executor: z.enum(['worker', 'hosted']).nullish(),
  video: z.string().nullish(),
  horizon_s: readAs(z.number()).nullish(),
  cell_count: count.nullish(),
})
export type GateSpec = z.output<typeof gateSpec>

/** The gate of a recipe; null if absent or invalid. */
export function gateOf(recipe: Readonly<Record<string, unknown>>): GateSpec | null {
  const { success, data } = gateSpec.safeParse(recipe.gate)
  return success ? data : null
}

/** The content of `HUB_GATE_RESULTS`; unknown members are dropped. */
const results = z.object({
  cells: z.array(
    z.object({
      name: z.string(),
      status: z.enum(['PASS', 'FAIL', 'ERROR', 'SKIP']),
      detail: z.string().nullish(),
    }),
  ),
  seeds_run: whole.min(0),
  seeds_alive: whole.min(0),
  rollout_id: z.string().nullish(),
})
export type BatteryResults = z.output<typeof results>

export interface BatteryRun {
  readonly command: string
  readonly env: Readonly<Record<string, string | undefined>>
  readonly spec: GateSpec
  readonly step: number
  readonly checkpointDir: string
  readonly gate: GateFiles
}

/** Starts the battery in an empty folder of its own, with the recipe on standard input. */
export async function startBattery(
  { command, env, spec, step, checkpointDir, gate }: BatteryRun,
  files: RunFiles,
): Promise<ProcessName> {
  await rm(gate.root, { recursive: true, force: true })
  await mkdir(gate.dir, { recursive: true, mode: 0o700 })
  const variables: Record<string, string | number | null | undefined> = {
    HUB_CHECKPOINT_DIR: checkpointDir,
    HUB_CHECKPOINT_STEP: step,
    HUB_GATE_BATTERY: spec.battery ?? 'watch',
    HUB_GATE_SEEDS: spec.seeds ?? 3,
    HUB_GATE_DELAY: spec.delay ?? 2,
    HUB_GATE_VIDEO: spec.video,
    HUB_GATE_HORIZON_S: spec.horizon_s,
    HUB_GATE_CELL_COUNT: spec.cell_count,
    HUB_GATE_RESULTS: gate.results,
  }
  const defined = Object.entries(variables).filter(([, value]) => value != null)
  const own = Object.fromEntries(defined.map(([name, value]) => [name, String(value)]))
  return startCommand(command, { ...gate, input: files.input }, { ...env, ...own })
}

/** The results, or the reason why there are none: a failed battery is not a verdict on its checkpoint. */
export async function resultsOf(gate: GateFiles, code: number | null): Promise<BatteryResults | string> {
  if (code !== 0) {
    const last = await lastLine(gate.output)
    const what = code === null ? 'the battery command was killed' : `the battery command ended with exit code ${code}`
    return last === '' ? what : `${what}: ${last}`
  }
  const text = await readFile(gate.results, 'utf8').catch(() => null)
  if (text === null) return 'the battery command wrote no HUB_GATE_RESULTS'
  try {
    return results.parse(JSON.parse(text))
  } catch (error) {
    const why = error instanceof z.ZodError ? z.prettifyError(error) : 'it is not JSON'
    return `HUB_GATE_RESULTS cannot be read: ${why}`
  }
}
