/**
 * Attributes of an object as MuJoCo accumulates them: each default class writes its values, then the object's own
 * element.
 */

import type { SpecObject } from '../compose/types.ts'
import { readNumbers, scanNumbers, short } from '../grammar/values.ts'
import type { XmlElement } from '../xml/element.ts'

/**
 * Anything with attributes in layers, where the last layer applies: an object, or an element that has no default class.
 */
export interface Layered {
  readonly element: XmlElement
  readonly layers: readonly XmlElement[]
}

/** Wraps an element without default classes as a single layer. */
export function alone(element: XmlElement): Layered {
  return { element, layers: [] }
}

/** Longer lists are counted but not parsed: as an array of numbers they would take ten times their size. */
const MAX_LIST = 1_000_000

/** Whether a list is too long to be parsed. */
export function isLong(text: string | undefined): boolean {
  return text !== undefined && text.length > MAX_LIST
}

/** The numbers of a text; empty if it is unreadable (the grammar has reported that) or too long. */
export function numbersIn(text: string | undefined): number[] {
  return text === undefined || isLong(text) ? [] : (readNumbers(text) ?? [])
}

/** The count of numbers in a text; lists of vertices can have millions. */
export function countIn(text: string | undefined): number {
  return text === undefined ? 0 : scanNumbers(text, 'real').count
}

/**
 * The value of an attribute after the layers of one class. All objects of the class share the list of layers, so the
 * value is computed once for all of them.
 */
const merged = new WeakMap<readonly XmlElement[], Map<string, Merged>>()

interface Merged {
  readonly text: string | undefined
  /** A layer with fewer numbers keeps the remaining ones of the previous layer. */
  readonly numbers: readonly number[]
}

function layersOf(layers: readonly XmlElement[], name: string): Merged {
  if (layers.length === 0) return NOTHING
  const known = merged.get(layers) ?? new Map<string, Merged>()
  merged.set(layers, known)
  const found = known.get(name)
  if (found !== undefined) return found
  let text: string | undefined
  let numbers: readonly number[] = []
  for (const { attributes } of layers) {
    text = attributes.get(name) ?? text
    numbers = overlaid(numbers, numbersIn(attributes.get(name)))
  }
  known.set(name, { text, numbers })
  return { text, numbers }
}

const NOTHING: Merged = { text: undefined, numbers: [] }

function overlaid(below: readonly number[], above: readonly number[]): readonly number[] {
  return above.length >= below.length ? above : [...above, ...below.slice(above.length)]
}

/** All numbers of an attribute after its layers. */
function numbersOf({ layers, element }: Layered, name: string): readonly number[] {
  return overlaid(layersOf(layers, name).numbers, numbersIn(element.attributes.get(name)))
}

/**
 * A vector attribute. If a layer has fewer numbers than the vector, the remaining ones keep the values of the previous
 * layer.
 */
export function vectorOf(object: Layered, name: string, initial: readonly number[]): number[] {
  const numbers = numbersOf(object, name)
  return initial.map((value, i) => numbers[i] ?? value)
}

/** A single number. */
export function numberOf(object: Layered, name: string, initial: number): number {
  return numbersOf(object, name)[0] ?? initial
}

/** A keyword or any other text, the last layer winning. */
export function textOf({ layers, element }: Layered, name: string, initial: string): string {
  return element.attributes.get(name) ?? layersOf(layers, name).text ?? initial
}

/** The value of the default class, even if the object has its own. */
export function inherited({ layers }: Layered, name: string): string {
  return layersOf(layers, name).text ?? ''
}

/** Whether any layer gives numbers for the attribute. An empty list, or `nan` at the end, counts as absent. */
export function given(object: Layered, name: string): boolean {
  const [first] = numbersOf(object, name)
  return first !== undefined && !Number.isNaN(first)
}

/** Masses, volumes and eigenvalues below this count as zero in MuJoCo's compiler. */
export const EPSILON = 1e-14

/** Whether MuJoCo treats a vector as having no length: it compares the square, so the smallest length is 1e-7. */
export function isZero(vector: readonly number[]): boolean {
  return vector.reduce((sum, value) => sum + value * value, 0) < EPSILON
}

/** An element within an object, named in messages together with it: a bone of a skin, an entry of a tendon's path. */
export function within(
  { category, name }: SpecObject,
  element: XmlElement,
): Pick<SpecObject, 'category' | 'name' | 'element'> {
  return { category, name, element }
}

/** Label of an object in messages: its category, and its name if it has one. */
export function labelOf({ category, name }: Pick<SpecObject, 'category' | 'name'>): string {
  const kind = KINDS.get(category) ?? category
  return name === '' ? `An unnamed ${kind}` : `The ${kind} "${short(name)}"`
}

/** Categories whose name needs explanation. */
const KINDS: ReadonlyMap<string, string> = new Map([
  ['equality', 'equality constraint'],
  ['pair', 'contact pair'],
  ['exclude', 'contact exclusion'],
])

/** A word with its article. */
export function articled(word: string): string {
  return /^(?:[aeiou]|hfield)/.test(word) ? `an ${word}` : `a ${word}`
}
