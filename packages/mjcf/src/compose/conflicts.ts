/**
 * Global settings that both a model and an attached model have: `<compiler conflict>` decides whether that is rejected
 * or which one applies.
 */
import { readNumbers } from '../grammar/values.ts'
import type { LoadedModel } from '../load/loaded-model.ts'
import type { XmlElement } from '../xml/element.ts'
import type { Draft } from './draft.ts'

/** Merges two conflicting values; null if they cannot be merged. */
type Merge = 'least' | 'most' | null

const fields = (path: string, merge: Merge, names: string) =>
  names.split(/\s+/).map((name) => [`${path} ${name}`, merge] as const)

const FIELDS: ReadonlyMap<string, Merge> = new Map([
  ...fields('option', 'least', 'timestep tolerance ls_tolerance noslip_tolerance ccd_tolerance sleep_tolerance'),
  ...fields(
    'option',
    'most',
    'iterations ls_iterations noslip_iterations ccd_iterations sdf_iterations sdf_initpoints',
  ),
  ...fields('option', null, 'impratio density viscosity o_margin integrator cone jacobian solver'),
  ...fields('option', null, 'gravity wind magnetic o_solref o_solimp o_friction'),
  ...fields('map', 'least', 'znear'),
  ...fields('global', 'least', 'realtime'),
  ...fields('map', 'most', 'zfar'),
  ...fields('size', 'most', 'memory njmax nconmax nuserdata nkey nuser_body nuser_jnt nuser_geom nuser_site nuser_cam'),
  ...fields('size', 'most', 'nuser_tendon nuser_actuator nuser_sensor'),
])

/** Attributes that may have fewer numbers than their length: the remaining numbers keep their values. */
const LISTS: ReadonlyMap<string, readonly number[]> = new Map([
  ['option o_solref', [0.02, 1]],
  ['option o_solimp', [0.9, 0.95, 0.001, 0.5, 2]],
  ['option o_friction', [1, 1, 0.005, 0.0001, 0.0001]],
])

/** Flags that enable a feature; all other flags can disable one. */
const ENABLING = new Set(['override', 'energy', 'fwdinv', 'invdiscrete', 'sleep', 'diagexact', 'ipc'])

/** Checks the global settings of an attached model; merged settings are stored in `adopted`. */
export function settleConflicts(into: Draft, from: Draft, at: XmlElement): void {
  if (into === from) return
  const [{ mode, settings: mine, flags }, { settings: theirs, flags: theirFlags }] = [wholeOf(into), wholeOf(from)]
  if (mode === 'warning') return
  const clashes = mode === 'error' ? clashingFlags(flags, theirFlags) : []
  for (const [field, merge] of FIELDS) {
    const [own, other] = [mine.get(field), theirs.get(field)]
    // A value that came from an attach counts only if no other value was written; sizes do not record their origin.
    const written = !field.startsWith('size ') && (own !== undefined || other !== undefined)
    const here = written ? own : (into.adopted.get(field) ?? own)
    const there = written ? other : (from.adopted.get(field) ?? other)
    if (there === undefined || (here !== undefined && isSame(field, here, there))) continue
    if (here !== undefined && (mode === 'error' || merge === null)) clashes.push(field.replace(/.* /, ''))
    else if (mode === 'merge') into.adopted.set(field, here === undefined ? there : merged(field, merge, here, there))
  }
  if (clashes.length === 0) return
  into.building.faults.add(
    'compile',
    at,
    `The attached model has different values for ${clashes.join(', ')}, and compiler conflict is "${mode}".`,
    { names: clashes, hint: 'Use the same values in both models, or set conflict to "warning".' },
  )
}

/** The global settings of a model. */
interface Whole {
  readonly mode: string
  readonly settings: ReadonlyMap<string, string>
  readonly flags: ReadonlyMap<string, string>
}

/** Read once: a model may be attached thousands of times, and have thousands of sections. */
const wholes = new WeakMap<LoadedModel, Whole>()

function wholeOf({ loaded }: Draft): Whole {
  const known = wholes.get(loaded)
  if (known !== undefined) return known
  const whole = { mode: conflictOf(loaded), settings: settingsOf(loaded), flags: flagsOf(loaded) }
  wholes.set(loaded, whole)
  return whole
}

function conflictOf({ root }: LoadedModel): string {
  const compilers = root.children.filter(({ name }) => name === 'compiler')
  return compilers.findLast(({ attributes }) => attributes.has('conflict'))?.attributes.get('conflict') ?? 'warning'
}

/** The written value; in `<size>` a value equal to the default counts as not written. */
function settingsOf({ root }: LoadedModel): Map<string, string> {
  const settings = new Map<string, string>()
  for (const section of sectionsOf(root.children)) {
    for (const [name, text] of section.attributes) {
      const field = `${section.name} ${name}`
      if (!FIELDS.has(field)) continue
      const list = LISTS.get(field)
      const given = list && readNumbers(text)
      const whole = given && overlaid(numbersOf(settings.get(field)) ?? list, given).join(' ')
      settings.set(field, whole ?? text)
    }
  }
  for (const [field, text] of settings) {
    const unset = field === 'size nkey' || field === 'size nuserdata' ? 0 : -1
    if (field.startsWith('size ') && amountOf(text) === unset) settings.delete(field)
  }
  return settings
}

function sectionsOf(children: readonly XmlElement[]): XmlElement[] {
  return children.flatMap((section) => (section.name === 'visual' ? section.children : [section]))
}

const numbersOf = (text: string | undefined) => (text === undefined ? null : readNumbers(text))

function overlaid(below: readonly number[], above: readonly number[]): readonly number[] {
  return below.map((value, i) => above[i] ?? value)
}

function isSame(field: string, one: string, other: string): boolean {
  if (field.startsWith('size ')) return amountOf(one) === amountOf(other)
  const [mine, theirs] = [numbersOf(one), numbersOf(other)]
  if (mine === null || theirs === null) return one.trim() === other.trim()
  const single = field.startsWith('map ') || field.startsWith('global ') ? Math.fround : (value: number) => value
  return mine.every((value, i) => single(value) === single(theirs[i] ?? Number.NaN))
}

const UNITS = 'KMGTPE'

/** A number, or a number of bytes with a unit. */
function amountOf(text: string): number {
  const [, digits = '', unit = ''] = /^\s*([+-]?\d+)([KMGTPE]?)\s*$/i.exec(text) ?? []
  return digits === '' ? Number.NaN : Number(digits) * 1024 ** (unit === '' ? 0 : UNITS.indexOf(unit.toUpperCase()) + 1)
}

function merged(field: string, merge: Merge, here: string, there: string): string {
  const value = (text: string) => (field.startsWith('size ') ? amountOf(text) : (numbersOf(text)?.[0] ?? Number.NaN))
  const takes = merge === 'most' ? value(there) > value(here) : value(there) < value(here)
  return takes ? there : here
}

/** Flags that both models have with different values, if the attached model sets any flag of that kind. */
function clashingFlags(mine: ReadonlyMap<string, string>, theirs: ReadonlyMap<string, string>): string[] {
  return [true, false].flatMap((enabling) => {
    const kind = [...theirs].filter(([name]) => ENABLING.has(name) === enabling)
    if (!kind.some(([, value]) => (value === 'enable') === enabling)) return []
    return kind.flatMap(([name, value]) => (mine.has(name) && mine.get(name) !== value ? [name] : []))
  })
}

function flagsOf({ root }: LoadedModel): Map<string, string> {
  const options = root.children.filter(({ name }) => name === 'option')
  return new Map(options.flatMap(({ children }) => children.flatMap(({ attributes }) => [...attributes])))
}
