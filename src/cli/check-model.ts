/** One model of a folder, read and checked as the hub would after a push. */
import { resolve, sep } from 'node:path'
import { type Check, check } from '../cards/check.ts'
import { modelChecks, modelSummary, type RobotModelSummary } from '../cards/model-checks.ts'
import { type LocalFiles, localFiles } from '../check-worker/local-files.ts'
import type { ModelReading } from '../models/mjcf/reading.ts'
import type { ReadingPool } from '../models/reader/reading-pool.ts'

/** RobotModelSummary (spec) and what was checked: what `--json` prints. */
export interface ModelReport extends RobotModelSummary {
  readonly checks: readonly Check[]
}

export interface CheckedModel {
  readonly report: ModelReport
  readonly reading: ModelReading
  /** Bytes of `report.files`, in their order. */
  readonly sizes: readonly (number | null)[]
  readonly notes: readonly string[]
}

/** A folder and the model in it, as a person who stands in `cwd` names them. */
export interface ModelPlace {
  readonly dir: string
  readonly entry: string
  readonly cwd: string
}

/** Rejects with a `LocalError` where `dir` is no folder or a file cannot be read; what is wrong with the model is in the report. */
export async function checkModel(
  pool: ReadingPool,
  { dir, entry, cwd }: ModelPlace,
  signal: AbortSignal,
): Promise<CheckedModel> {
  const files = await localFiles(resolve(cwd, dir))
  const path = await entryPath(files, { dir, entry, cwd }, signal)
  const { reading } = await pool.read(files, path, signal)
  const summary = modelSummary(reading)
  return {
    report: { ...summary, checks: modelChecks(reading, path) },
    reading,
    sizes: await files.sizesOf(summary.files, signal),
    notes: [...files.notes],
  }
}

/** The report of what could not even be looked at; no verdict is ever mistaken for a good one. */
export function unreadableReport(message: string): ModelReport & { readonly error: string } {
  const checks = [check('mjcf.exists', 'fail', message)]
  return { model: null, base: null, joints: [], files: [], keyframes: [], checks, error: message }
}

/** A person may name the entry from where they stand, as their shell completes it; the folder goes first. */
async function entryPath(files: LocalFiles, { dir, entry, cwd }: ModelPlace, signal: AbortSignal): Promise<string> {
  const path = entry.normalize('NFC').replace(/^(\.\/+)+/, '')
  const root = resolve(cwd, dir) + sep
  const here = resolve(cwd, entry)
  if (!here.startsWith(root)) return path
  const fromHere = here.slice(root.length).split(sep).join('/').normalize('NFC')
  const [inFolder, standing] = await files.sizesOf([path, fromHere], signal)
  return inFolder === null && standing !== null ? fromHere : path
}
