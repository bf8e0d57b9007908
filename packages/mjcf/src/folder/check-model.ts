/** Reads and checks one model of a folder exactly as the hub would after a push. */
import { resolve, sep } from 'node:path'
import type { ReadingPool } from '../processes/reading-pool.ts'
import type { ModelReading } from '../reading.ts'
import { type Check, check } from '../verdict/check.ts'
import { modelChecks, modelSummary, type RobotModelSummary } from '../verdict/model-checks.ts'
import { type LocalFiles, localFiles } from './local-files.ts'

/** RobotModelSummary (spec) and the checks: the output of `--json`. */
export interface ModelReport extends RobotModelSummary {
  readonly checks: readonly Check[]
}

export interface CheckedModel {
  readonly report: ModelReport
  readonly reading: ModelReading
  /** Sizes in bytes, parallel to `report.files`. */
  readonly sizes: readonly (number | null)[]
  readonly notes: readonly string[]
}

/** A folder and its entry file; relative paths start at `cwd`. */
export interface ModelPlace {
  readonly dir: string
  readonly entry: string
  readonly cwd: string
}

/**
 * Rejects with a `LocalError` if `dir` is not a folder or a file cannot be read; faults of the model are in the report.
 */
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

/** The report for a model that could not be read: one failed check. */
export function unreadableReport(message: string): ModelReport & { readonly error: string } {
  const checks = [check('mjcf.exists', 'fail', message)]
  return { model: null, base: null, joints: [], files: [], keyframes: [], checks, error: message }
}

/** The entry may be relative to `dir` or, as the shell completes it, to `cwd`; `dir` takes precedence. */
async function entryPath(files: LocalFiles, { dir, entry, cwd }: ModelPlace, signal: AbortSignal): Promise<string> {
  const path = entry.normalize('NFC').replace(/^(\.\/+)+/, '')
  const root = resolve(cwd, dir) + sep
  const absolute = resolve(cwd, entry)
  if (!absolute.startsWith(root)) return path
  const fromCwd = absolute.slice(root.length).split(sep).join('/').normalize('NFC')
  const [inFolder, atCwd] = await files.sizesOf([path, fromCwd], signal)
  return inFolder === null && atCwd !== null ? fromCwd : path
}
