/**
 * The state of an actuator after its default classes and its own element were read. All actuator elements share one
 * default: a `<general>` of a class that contains `<position kp="5"/>` gets that position's gains. So each layer is
 * applied to the result of the previous ones.
 */

import type { XmlElement } from '../xml/element.ts'
import type { ActuatorState } from './actuator-settings.ts'
import { applyShortcut } from './actuator-shortcuts.ts'
import { type Layered, numbersIn } from './fields.ts'

const places = (first: number[], length: number): number[] => [
  ...first,
  ...new Array<number>(length - first.length).fill(0),
]

/** An actuator without any attribute. */
export function initialState(): ActuatorState {
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

/** The state, and why the reader rejects the element, or null. */
export function actuatorState(actuator: Layered): { readonly state: ActuatorState; readonly fault: string | null } {
  const state = stateOf(actuator.layers)
  return { state, fault: readActuator(state, actuator.element) }
}

/** All actuators of a class share one list of its layers. */
const states = new WeakMap<readonly XmlElement[], ActuatorState>()

function stateOf(layers: readonly XmlElement[]): ActuatorState {
  const known = states.get(layers)
  if (known !== undefined) return copyOf(known)
  const state = initialState()
  for (const layer of layers) readActuator(state, layer)
  states.set(layers, copyOf(state))
  return state
}

/** An independent copy, for a class that starts with its parent's values. */
export function copyOf(state: ActuatorState): ActuatorState {
  const { dynprm, gainprm, biasprm, ctrlrange, forcerange, actrange, damping } = state
  return {
    ...state,
    dynprm: [...dynprm],
    gainprm: [...gainprm],
    biasprm: [...biasprm],
    ctrlrange: [...ctrlrange],
    forcerange: [...forcerange],
    actrange: [...actrange],
    damping: [...damping],
  }
}

/** Reads an actuator element into the state. Returns why MuJoCo rejects it, or null. */
export function readActuator(state: ActuatorState, element: XmlElement): string | null {
  const text = (name: string) => element.attributes.get(name)
  for (const name of KEYWORDS) state[name] = text(name) ?? state[name]
  for (const name of VECTORS) fill(state[name], numbersIn(text(name)))
  for (const name of NUMBERS) state[name] = numbersIn(text(name))[0] ?? state[name]
  state.actearly = text('actearly') === undefined ? state.actearly : text('actearly') === 'true'
  return element.name === 'plugin' ? null : applyShortcut(state, element)
}

const KEYWORDS = ['dyntype', 'gaintype', 'biastype', 'ctrllimited', 'forcelimited', 'actlimited'] as const
const VECTORS = ['dynprm', 'gainprm', 'biasprm', 'ctrlrange', 'forcerange', 'actrange', 'damping'] as const
const NUMBERS = ['actdim', 'armature', 'cranklength', 'nsample', 'delay'] as const

function fill(vector: number[], values: readonly number[]): void {
  for (const [i, value] of values.entries()) if (i < vector.length) vector[i] = value
}
