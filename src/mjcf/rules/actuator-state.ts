/**
 * What an actuator is after its default classes and its own element were read. All actuator elements share one default: `<position kp="5"/>` in a class
 * leaves its gains to a `<general>` of that class, so that each layer is applied to what the ones before it left.
 */

import { applyShortcut } from './actuator-shortcuts.ts'
import { type Layered, numbersIn, readInto } from './fields.ts'

export interface ActuatorState {
  dyntype: string
  gaintype: string
  biastype: string
  dynprm: number[]
  gainprm: number[]
  biasprm: number[]
  /** Below 0: left to the dynamics. */
  actdim: number
  ctrllimited: string
  forcelimited: string
  actlimited: string
  ctrlrange: [number, number]
  forcerange: [number, number]
  actrange: [number, number]
  inheritrange: number
  /** Inputs asked for, '' for those of the type. */
  input: string
  damping: number[]
  armature: number
  cranklength: number
  nsample: number
  delay: number
  actearly: boolean
}

const places = (first: number[], length: number): number[] => [
  ...first,
  ...new Array<number>(length - first.length).fill(0),
]

function initialState(): ActuatorState {
  return {
    dyntype: 'none',
    gaintype: 'fixed',
    biastype: 'none',
    dynprm: places([1], 10),
    gainprm: places([1], 10),
    biasprm: places([], 10),
    actdim: -1,
    ctrllimited: 'auto',
    forcelimited: 'auto',
    actlimited: 'auto',
    ctrlrange: [0, 0],
    forcerange: [0, 0],
    actrange: [0, 0],
    inheritrange: 0,
    input: '',
    damping: [0, 0, 0],
    armature: 0,
    cranklength: 0,
    nsample: 0,
    delay: 0,
    actearly: false,
  }
}

/** The state, and why the reader refuses one of the elements, null where it does not. */
export function actuatorState(actuator: Layered): { readonly state: ActuatorState; readonly fault: string | null } {
  const state = initialState()
  let fault: string | null = null
  for (const element of readInto(actuator)) {
    const text = (name: string) => element.attributes.get(name)
    for (const name of KEYWORDS) state[name] = text(name) ?? state[name]
    for (const name of VECTORS) fill(state[name], numbersIn(text(name)))
    for (const name of NUMBERS) state[name] = numbersIn(text(name))[0] ?? state[name]
    state.actearly = text('actearly') === undefined ? state.actearly : text('actearly') === 'true'
    if (element.name !== 'plugin') fault = applyShortcut(state, element) ?? fault
  }
  return { state, fault }
}

const KEYWORDS = ['dyntype', 'gaintype', 'biastype', 'ctrllimited', 'forcelimited', 'actlimited'] as const
const VECTORS = ['dynprm', 'gainprm', 'biasprm', 'ctrlrange', 'forcerange', 'actrange', 'damping'] as const
const NUMBERS = ['actdim', 'armature', 'cranklength', 'nsample', 'delay'] as const

function fill(vector: number[], values: readonly number[]): void {
  for (const [i, value] of values.entries()) if (i < vector.length) vector[i] = value
}
