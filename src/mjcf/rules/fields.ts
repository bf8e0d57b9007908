/** Attributes of an object as MuJoCo accumulates them: each default class writes what it has, the object's own element last. */
import { readNumbers, scanNumbers, short } from '../grammar/values.ts'
import type { SpecObject } from '../spec/types.ts'
import type { XmlElement } from '../xml/element.ts'

/** What holds attributes in layers, the last one written winning: an object, or an element that has no default class. */
export interface Layered {
  readonly element: XmlElement
  readonly layers: readonly XmlElement[]
}

/** An element without default classes as something layered. */
export function alone(element: XmlElement): Layered {
  return { element, layers: [] }
}

/** The elements that were read into the object, in that order. */
export function readInto({ layers, element }: Layered): readonly XmlElement[] {
  return [...layers, element]
}

/** Longer lists are counted and not looked into: as an array of numbers they would take ten times their size. */
const MAX_LIST = 1_000_000

/** Whether a list is too long to be looked into. */
export function isLong(text: string | undefined): boolean {
  return text !== undefined && text.length > MAX_LIST
}

/** The numbers of a text; none where it cannot be read, since the grammar has reported it, or is too long. */
export function numbersIn(text: string | undefined): number[] {
  return text === undefined || isLong(text) ? [] : (readNumbers(text) ?? [])
}

/** How many numbers a text has: lists of vertices run to millions. */
export function countIn(text: string | undefined): number {
  return text === undefined ? 0 : scanNumbers(text, 'real').count
}

/** A vector attribute: fewer numbers than it has places leave the others as the layer before set them. */
export function vectorOf(object: Layered, name: string, initial: readonly number[]): number[] {
  const vector = [...initial]
  for (const { attributes } of readInto(object)) {
    for (const [place, value] of numbersIn(attributes.get(name)).entries())
      if (place < vector.length) vector[place] = value
  }
  return vector
}

/** A vector attribute that MuJoCo tells from an absent one, null where no layer has it. */
export function optionalVectorOf(object: Layered, name: string, length: number): number[] | null {
  return given(object, name) ? vectorOf(object, name, new Array<number>(length).fill(0)) : null
}

/** A single number. */
export function numberOf(object: Layered, name: string, initial: number): number {
  return vectorOf(object, name, [initial])[0] ?? initial
}

/** A keyword or any other text, the last layer winning. */
export function textOf(object: Layered, name: string, initial: string): string {
  return (
    readInto(object)
      .findLast((element) => element.attributes.has(name))
      ?.attributes.get(name) ?? initial
  )
}

/** Whether any layer has numbers in the attribute: none at all, or `nan` at the end, is as good as absent. */
export function given(object: Layered, name: string): boolean {
  const first = readInto(object).findLast(({ attributes }) => numbersIn(attributes.get(name)).length > 0)
  return first !== undefined && !Number.isNaN(numbersIn(first.attributes.get(name))[0])
}

/** Masses, volumes and eigenvalues below this count as zero in MuJoCo's compiler. */
export const EPSILON = 1e-14

/** Whether MuJoCo takes a vector for one without length: its square is compared, so that 1e-7 is the least. */
export function isZero(vector: readonly number[]): boolean {
  return vector.reduce((sum, value) => sum + value * value, 0) < EPSILON
}

/** An element within an object, to be blamed in its name: a bone of a skin, a stop of a tendon. */
export function within(
  { category, name }: SpecObject,
  element: XmlElement,
): Pick<SpecObject, 'category' | 'name' | 'element'> {
  return { category, name, element }
}

/** How to call an object in a sentence: its category, and its name where it has one. */
export function labelOf({ category, name }: Pick<SpecObject, 'category' | 'name'>): string {
  const kind = KINDS.get(category) ?? category
  return name === '' ? `An unnamed ${kind}` : `The ${kind} "${short(name)}"`
}

/** Categories whose name alone says too little. */
const KINDS: ReadonlyMap<string, string> = new Map([
  ['equality', 'equality constraint'],
  ['pair', 'contact pair'],
  ['exclude', 'contact exclusion'],
])

/** A word with its article. */
export function articled(word: string): string {
  return /^(?:[aeiou]|hfield)/.test(word) ? `an ${word}` : `a ${word}`
}
