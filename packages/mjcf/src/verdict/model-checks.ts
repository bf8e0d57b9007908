/**
 * The checks of a model, from its reading: whether it exists, whether MuJoCo would compile it, and whether its files
 * are complete. Pure.
 */

import { wellFormed } from '@hub/text/well-formed'
import type { FaultKind, ModelFault } from '../fault.ts'
import type { MissingFile, ModelReading } from '../reading.ts'
import { type Check, type CheckFault, check, faultyCheck } from './check.ts'

/** Spec, "RobotModelSummary". */
export interface RobotModelSummary {
  readonly model: string | null
  readonly base: 'fixed' | 'floating' | null
  /** Named hinge and slide joints, in document order. */
  readonly joints: readonly string[]
  /** Existing repo paths that the model needs. */
  readonly files: readonly string[]
  /** Names of keyframes; unnamed keyframes are left out. */
  readonly keyframes: readonly string[]
}

/** Why no model is checked. */
export const NO_MODEL = 'The card names no model file.'

/**
 * The checks `mjcf.exists`, `mjcf.parses`, `assets.closure` and `assets.readable`, always all four. Without a reading
 * or an entry all are skipped, with `reason`.
 */
export function modelChecks(reading: ModelReading | null, entry: string | null, reason = NO_MODEL): Check[] {
  if (!reading || entry === null) {
    return ['mjcf.exists', 'mjcf.parses', 'assets.closure', 'assets.readable'].map((code) =>
      check(code, 'skip', reason),
    )
  }
  if (!entryExists(reading)) return absentEntry(reading, entry)
  return [check('mjcf.exists', 'pass', `${entry} exists.`), parses(reading), closure(reading), readable(reading)]
}

/**
 * Summary of the model as MuJoCo would compile it: a rejected model has no base, joints or keyframes. If only files
 * without these are missing (such as meshes), the summary is still shown, because interfaces are checked against it.
 */
export function modelSummary(reading: ModelReading): RobotModelSummary {
  const { model, files, faults, missing } = reading
  const lacksFilesAlone = faults.length === 0 && missing.length > 0 && doubtOf(reading) === null
  if (isRefused(reading) && !lacksFilesAlone) return wellFormed({ model, base: null, joints: [], files, keyframes: [] })
  const [joints, keyframes] = [namedJoints(reading), namedKeyframes(reading)]
  return wellFormed({ model, base: lacksFilesAlone ? baseAsRead(reading) : reading.base, joints, files, keyframes })
}

function baseAsRead({ roots, undecided }: ModelReading): RobotModelSummary['base'] {
  if (undecided.some(({ about }) => about === 'base' || about === 'joints')) return null
  return roots.some(({ floating }) => floating) ? 'floating' : 'fixed'
}

/** Whether MuJoCo would reject the model in its current state. */
export function isRefused(reading: ModelReading): boolean {
  return reading.faults.length > 0 || reading.missing.length > 0
}

/**
 * Why the model may declare more than was read, or null: part of the document is missing, or a limit ended the reading.
 */
export function doubtOf({ unread, faults }: ModelReading): string | null {
  return unread ?? faults.find(({ kind }) => kind === 'limit')?.message ?? null
}

/** Whether the document itself has faults, ignoring its files. */
export function isFaulty({ faults }: ModelReading): boolean {
  return faults.some(({ kind }) => !isAboutFiles(kind))
}

/** Names of the 1-DoF joints that policies can drive, in document order. */
export function namedJoints({ joints }: ModelReading): string[] {
  return joints.flatMap(({ name, type }) => (name !== null && (type === 'hinge' || type === 'slide') ? [name] : []))
}

/** Names of the keyframes, in order. */
export function namedKeyframes({ keyframes }: ModelReading): string[] {
  return keyframes.filter((name) => name !== null && name !== '') as string[]
}

const closureFaults: ReadonlySet<FaultKind> = new Set(['path'])
const assetFaults: ReadonlySet<FaultKind> = new Set(['asset'])

/**
 * Whether the model file exists. A file that is empty or not a model also has a fault of the kind `entry`, but it is in
 * `files`.
 */
function entryExists({ entry, files, faults }: ModelReading): boolean {
  return files.includes(entry) || !faults.some(({ kind }) => kind === 'entry')
}

function absentEntry({ faults }: ModelReading, entry: string): Check[] {
  const told = faults.find(({ kind }) => kind === 'entry')
  const names = [entry]
  const hint = told?.hint ?? 'Upload the file, or use another path: paths are relative to the repo and case-sensitive.'
  const skipped = `${entry} does not exist.`
  return [
    check('mjcf.exists', 'fail', `${entry} is not a file of this repo.`, { names, hint, loc: ['mjcf_path'] }),
    check('mjcf.parses', 'skip', skipped),
    check('assets.closure', 'skip', skipped),
    check('assets.readable', 'skip', skipped),
  ]
}

function parses(reading: ModelReading): Check {
  const open = reading.unread ?? null
  const known = reading.faults.filter(({ kind }) => !isAboutFiles(kind))
  // An unknown name may be declared in the part that was not read.
  const certain = open !== null ? known.filter(({ kind }) => !['reference', 'name', 'compile'].includes(kind)) : known
  if (certain.length > 0) return faultyCheck('mjcf.parses', 'fail', certain.map(asCheckFault), placeOf(certain[0]))
  if (open !== null) return check('mjcf.parses', 'skip', `${reading.entry} was not read completely. ${open}`)
  const warnings = reading.warnings.filter(({ kind }) => !isAboutFiles(kind))
  const data = undecidedData(reading)
  const verdict = reading.undecided.find(({ about }) => about === 'model')
  if (verdict) {
    const message = `Whether MuJoCo compiles ${reading.entry} is not known. ${verdict.reason}`
    return check('mjcf.parses', 'skip', message, { data })
  }
  if (warnings.length > 0) return faultyCheck('mjcf.parses', 'warn', warnings.map(asCheckFault), data ?? {})
  const what = reading.format === 'urdf' ? 'URDF' : 'MJCF'
  return check('mjcf.parses', 'pass', `${reading.entry} is ${what} that MuJoCo reads.`, { data })
}

const isAboutFiles = (kind: FaultKind) => closureFaults.has(kind) || assetFaults.has(kind)

function closure(reading: ModelReading): Check {
  const { missing, faults, warnings, files, undecided } = reading
  const found = [
    ...missing.map(missingFault),
    ...faults.filter(({ kind }) => closureFaults.has(kind)).map(asCheckFault),
  ]
  const data = { files: files.length, missing: missing.length }
  if (found.length > 0) return faultyCheck('assets.closure', 'fail', found, data)
  const doubt = doubtOf(reading)
  if (doubt !== null) return check('assets.closure', 'skip', `${reading.entry} was not read completely. ${doubt}`)
  const open = undecided.find(({ about }) => about === 'assets')
  if (open) return check('assets.closure', 'skip', open.reason, { data })
  const told = warnings.filter(({ kind }) => isAboutFiles(kind))
  if (told.length > 0) return faultyCheck('assets.closure', 'warn', told.map(asCheckFault), data)
  const count = files.length === 1 ? 'The one file' : `All ${files.length} files`
  return check('assets.closure', 'pass', `${count} that the model needs ${files.length === 1 ? 'is' : 'are'} there.`, {
    data,
  })
}

function readable(reading: ModelReading): Check {
  const found = reading.faults.filter(({ kind }) => assetFaults.has(kind))
  if (found.length > 0) return faultyCheck('assets.readable', 'fail', found.map(asCheckFault), placeOf(found[0]))
  const doubt = doubtOf(reading)
  if (doubt !== null) return check('assets.readable', 'skip', `${reading.entry} was not read completely. ${doubt}`)
  return check('assets.readable', 'pass', 'Every existing asset is non-empty and in a format that MuJoCo reads.')
}

const asCheckFault = ({ message, names, hint, file, line }: ModelFault): CheckFault => ({
  message: file === null ? message : `${file}${line === null ? '' : `:${line}`}: ${message}`,
  names,
  hint,
  loc: ['mjcf_path'],
})

function missingFault({ path, alternatives, kind, file, line }: MissingFile): CheckFault {
  const also = alternatives.length > 0 ? ` (nor ${alternatives.join(', ')})` : ''
  return {
    message: `${file}:${line}: the ${kind} ${path}${also} is not in the repo.`,
    names: [path],
    hint: `Upload ${path}, or change the ${kind} in ${file} to name an existing file.`,
    loc: ['mjcf_path'],
  }
}

const placeOf = (fault: ModelFault | undefined): Record<string, unknown> =>
  fault ? { kind: fault.kind, file: fault.file, line: fault.line } : {}

const undecidedData = ({ undecided }: ModelReading): Record<string, unknown> | null =>
  undecided.length > 0 ? { undecided: undecided.map(({ about, reason }) => ({ about, reason })) } : null
