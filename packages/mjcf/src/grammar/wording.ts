/** Wording of grammar faults: elements, lists and suggestions. */
import { nearestName } from '../nearest-name.ts'
import type { XmlElement } from '../xml/element.ts'
import { BODY } from './body-rows.ts'
import { MUJOCO } from './mjcf-rows.ts'
import type { Row } from './row.ts'
import { short } from './values.ts'

/** An element for messages: its tag, and its name if it has one. */
export function tagOf(element: XmlElement): string {
  const name = element.attributes.get('name')
  return name === undefined || name === ''
    ? `<${short(element.name)}>`
    : `<${short(element.name)} name="${short(name)}">`
}

/** `a`, `a and b`, `a, b and c`. */
export function listOf(words: readonly string[], conjunction: 'and' | 'or'): string {
  return words.length < 2 ? words.join('') : `${words.slice(0, -1).join(', ')} ${conjunction} ${words.at(-1)}`
}

/** Hint for an unknown attribute. */
export function attributeHint(name: string, row: Row): string {
  const nearest = nearestName(name, row.attributes.keys())
  if (nearest !== null) return `Did you mean "${nearest}"?`
  if (row.attributes.size === 0) return 'It has no attributes at all.'
  return `Its attributes are: ${[...row.attributes.keys()].join(', ')}.`
}

/** Hint for a misplaced element: a similar name, or the place where it belongs. `others` are further allowed names. */
export function elementHint(name: string, row: Row, others: readonly string[]): string {
  const places = placesOf(name)
  const nearest = nearestName(name, [...row.children.keys(), ...others])
  if (places.length > 0)
    return `It belongs in ${listOf(
      places.map((place) => `<${place}>`),
      'or',
    )}.`
  return nearest === null ? 'MJCF has no element of that name.' : `Did you mean <${nearest}>?`
}

let places: Map<string, string[]> | null = null

function placesOf(name: string): string[] {
  places ??= new Map([...bodyPlaces(), ...rowPlaces()])
  return places.get(name) ?? []
}

function bodyPlaces(): [string, string[]][] {
  return ['body', 'frame', 'replicate'].map((name) => [name, ['worldbody', 'body', 'frame']])
}

function rowPlaces(): Map<string, string[]> {
  const found = new Map<string, string[]>([...BODY.children.keys()].map((name) => [name, ['body']]))
  const add = (parent: string, row: Row): void => {
    for (const [name, child] of row.children) {
      const known = found.get(name) ?? []
      if (row !== BODY && !known.includes(parent)) found.set(name, [...known, parent])
      add(name, child.row)
    }
  }
  add('mujoco', MUJOCO)
  return found
}
