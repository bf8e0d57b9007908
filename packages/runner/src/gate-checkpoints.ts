/**
 * Gates checkpoints while a run trains (spec, CheckpointGateSpec): the first one at or past each multiple of
 * `every_steps`, in step order.
 */
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import type { HubClient } from '@hub/client/internal'
import { failureLine, ProblemError } from '@hub/client/internal'
import { type BatteryResults, type GateSpec, resultsOf, startBattery } from './battery.ts'
import { type CheckpointFolder, listCheckpoints } from './checkpoint-folders.ts'
import { exitCodeIn, isAlive, stopCommand } from './command.ts'
import type { RunFiles } from './run-files.ts'
import type { RunJournal } from './run-journal.ts'

export interface Gater {
  /**
   * Gates complete checkpoints that are due; with `isFinal` all count as complete. Rejects with transient errors; the
   * next poll retries.
   */
  poll(isFinal: boolean): Promise<void>
  /** Stops the current battery and starts no other. */
  close(): Promise<void>
  /** The hub asked the run to stop: a tripwire fired. */
  stopRequested(): boolean
}

export interface GaterOptions {
  readonly client: HubClient
  readonly files: RunFiles
  readonly journal: RunJournal
  readonly spec: GateSpec
  /** The shell command run for each checkpoint. */
  readonly command: string
  readonly env: Readonly<Record<string, string | undefined>>
  readonly isStable: (name: string) => Promise<boolean>
  /** Between SIGTERM and SIGKILL. */
  readonly graceMs: number
  readonly logLine: (line: string) => void
}

/** A battery may fail for lack of memory next to the training. */
const MAX_ATTEMPTS = 3
const POLL_MS = 100

/**
 * Gates the checkpoints of one attempt. The journal records the last gated step and the running battery, which survives
 * a killed runner.
 */
export function createGater(options: GaterOptions): Gater {
  const { client, files, journal, spec, logLine } = options
  const failures = new Map<number, number>()
  let isClosed = false
  let isStopRequested = false

  const multipleOf = (step: number) => Math.floor(step / spec.every_steps)

  async function gate({ step, name }: CheckpointFolder): Promise<void> {
    const found = await runBattery(step, join(files.checkpoints, name))
    if (isClosed) return
    if (typeof found === 'string') return failed(step, found)
    await record(step, found)
  }

  async function runBattery(step: number, checkpointDir: string): Promise<BatteryResults | string> {
    const gateFiles = files.gate(step)
    const running = journal.state.gating
    const command =
      running?.step === step
        ? running.command
        : await startBattery({ ...options, step, checkpointDir, gate: gateFiles }, files)
    journal.put({ gating: { step, command } })
    while (!isClosed && (await exitCodeIn(gateFiles.exitCode)) === null && isAlive(command)) await delay(POLL_MS)
    await stopCommand(command, isClosed ? options.graceMs : 2000)
    journal.put({ gating: null })
    return resultsOf(gateFiles, await exitCodeIn(gateFiles.exitCode))
  }

  function failed(step: number, why: string): void {
    const count = (failures.get(step) ?? 0) + 1
    failures.set(step, count)
    if (count >= MAX_ATTEMPTS) journal.put({ gated: step })
    logLine(`step ${step} is not gated${count < MAX_ATTEMPTS ? ' yet' : ''}: ${why}`)
  }

  async function record(step: number, found: BatteryResults): Promise<void> {
    const { runId, attempt } = journal.state
    try {
      const run = await client.runs.recordGateResults(runId, { attempt, results: [{ step, ...found }] })
      isStopRequested ||= run.cancel_requested_at !== null
    } catch (error) {
      if (!(error instanceof ProblemError) || ![400, 413, 422].includes(error.status)) throw error
      logLine(`the gate results of step ${step} were refused: ${failureLine(error)}`)
    }
    journal.put({ gated: step })
    const passed = found.cells.filter(({ status }) => status === 'PASS').length
    logLine(`gated step ${step}: ${passed} of ${found.cells.length} cells passed`)
  }

  return {
    async poll(isFinal) {
      for (const folder of await listCheckpoints(files.checkpoints)) {
        if (isClosed || isStopRequested) return
        if (multipleOf(folder.step) <= multipleOf(journal.state.gated)) continue
        // Later steps wait for this one.
        if (!isFinal && !(await options.isStable(folder.name))) return
        await gate(folder)
      }
    },
    async close() {
      isClosed = true
      const { gating } = journal.state
      if (gating) await stopCommand(gating.command, options.graceMs)
    },
    stopRequested: () => isStopRequested,
  }
}
