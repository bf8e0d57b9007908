/** Gating checkpoints while a run trains (spec, CheckpointGateSpec): the first one at or past each multiple of `every_steps`, in the order of the steps. */
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import type { HubClient } from '../hub-client.ts'
import { failureLine, ProblemError } from '../problem.ts'
import { type BatteryResults, type GateSpec, resultsOf, startBattery } from './battery.ts'
import { type CheckpointFolder, foldersIn } from './checkpoint-folders.ts'
import { exitCodeIn, isAlive, stopCommand } from './command.ts'
import type { Journal } from './journal.ts'
import type { RunFiles } from './run-files.ts'

export interface Gater {
  /** Gates what is due and complete. With `isWhole` all of it is. Rejects with what may pass by itself; then the next look tries again. */
  look(isWhole: boolean): Promise<void>
  /** Ends the battery under way, and begins no other. */
  close(): Promise<void>
  /** The hub answered that the run is to stop: a tripwire fired. */
  isAskedToStop(): boolean
}

export interface GaterOptions {
  readonly client: HubClient
  readonly files: RunFiles
  readonly journal: Journal
  readonly spec: GateSpec
  /** What a shell runs for each checkpoint. */
  readonly command: string
  readonly env: Readonly<Record<string, string | undefined>>
  readonly isSettled: (name: string) => Promise<boolean>
  /** Between SIGTERM and SIGKILL. */
  readonly graceMs: number
  readonly tell: (line: string) => void
}

/** A battery that fails, for want of memory beside the training say, is tried so often. */
const TRIES = 3
const LOOK_MS = 100

/** Looks at one attempt's folder. What was gated is in the journal, and so is the battery under way, which outlives a runner that is killed. */
export function createGater(options: GaterOptions): Gater {
  const { client, files, journal, spec, tell } = options
  const failures = new Map<number, number>()
  let isClosed = false
  let isAsked = false

  const multipleOf = (step: number) => Math.floor(step / spec.every_steps)

  async function gate({ step, name }: CheckpointFolder): Promise<void> {
    const found = await roll(step, join(files.checkpoints, name))
    if (isClosed) return
    if (typeof found === 'string') return failed(step, found)
    await record(step, found)
  }

  async function roll(step: number, checkpointDir: string): Promise<BatteryResults | string> {
    const gateFiles = files.gate(step)
    const left = journal.state.gating
    const command =
      left?.step === step
        ? left.command
        : await startBattery({ ...options, step, checkpointDir, gate: gateFiles }, files)
    journal.put({ gating: { step, command } })
    while (!isClosed && (await exitCodeIn(gateFiles.exitCode)) === null && isAlive(command)) await delay(LOOK_MS)
    await stopCommand(command, isClosed ? options.graceMs : 2000)
    journal.put({ gating: null })
    return resultsOf(gateFiles, await exitCodeIn(gateFiles.exitCode))
  }

  function failed(step: number, why: string): void {
    const count = (failures.get(step) ?? 0) + 1
    failures.set(step, count)
    if (count >= TRIES) journal.put({ gated: step })
    tell(`step ${step} is not gated${count < TRIES ? ' yet' : ''}: ${why}`)
  }

  async function record(step: number, found: BatteryResults): Promise<void> {
    const { runId, attempt } = journal.state
    try {
      const run = await client.runs.recordGateResults(runId, { attempt, results: [{ step, ...found }] })
      isAsked ||= run.cancel_requested_at !== null
    } catch (error) {
      if (!(error instanceof ProblemError) || ![400, 413, 422].includes(error.status)) throw error
      tell(`the gate results of step ${step} were refused: ${failureLine(error)}`)
    }
    journal.put({ gated: step })
    const passed = found.cells.filter(({ status }) => status === 'PASS').length
    tell(`gated step ${step}: ${passed} of ${found.cells.length} cells passed`)
  }

  return {
    async look(isWhole) {
      for (const folder of await foldersIn(files.checkpoints)) {
        if (isClosed || isAsked) return
        if (multipleOf(folder.step) <= multipleOf(journal.state.gated)) continue
        // Later steps wait for this one.
        if (!isWhole && !(await options.isSettled(folder.name))) return
        await gate(folder)
      }
    },
    async close() {
      isClosed = true
      const { gating } = journal.state
      if (gating) await stopCommand(gating.command, options.graceMs)
    },
    isAskedToStop: () => isAsked,
  }
}
