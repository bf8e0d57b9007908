/**
 * How MuJoCo reads URDF elements: known children occur at most once, number lists have exact lengths, and everything
 * else is ignored.
 */
import type { Faults } from '../fault.ts'
import { readNumbers } from '../grammar/values.ts'
import type { XmlElement } from '../xml/element.ts'

/** The child of that name, null if there is none; a second one is a fault. */
export function onlyChild(parent: XmlElement, name: string, faults: Faults): XmlElement | null {
  const [first, second] = parent.children.filter((child) => child.name === name)
  if (second) faults.add('schema', second, `<${parent.name}> holds more than one <${name}>.`, { names: [name] })
  return first ?? null
}

/** Like `onlyChild`, for one that must be there. */
export function requiredChild(parent: XmlElement, name: string, faults: Faults): XmlElement | null {
  const child = onlyChild(parent, name, faults)
  if (!child) faults.add('schema', parent, `<${parent.name}> has no <${name}>.`, { names: [name] })
  return child
}

/** An attribute that must be there; it may be empty. */
export function requiredText(element: XmlElement, attribute: string, faults: Faults): string | null {
  const text = element.attributes.get(attribute)
  if (text === undefined) reportLack(element, attribute, faults)
  return text ?? null
}

/** The numbers of an attribute; null if it is absent, blank or not exactly `count` numbers, which is a fault. */
export function numbersOf(element: XmlElement, attribute: string, count: number, faults: Faults): number[] | null {
  const text = element.attributes.get(attribute)
  if (text === undefined) return null
  const numbers = readNumbers(text)
  if (numbers?.length === 0) return null
  if (numbers?.length === count) return numbers
  const expected = count === 1 ? 'one number' : `${count} numbers`
  const message = `${attribute}="${text}" of <${element.name}> is not ${expected}.`
  faults.add('value', element, message, { names: [attribute] })
  return null
}

/** Like `numbersOf` for required numbers: blank text counts as missing. */
export function requiredNumbers(
  element: XmlElement,
  attribute: string,
  count: number,
  faults: Faults,
): number[] | null {
  if (readNumbers(element.attributes.get(attribute) ?? '')?.length === 0) {
    reportLack(element, attribute, faults)
    return null
  }
  return numbersOf(element, attribute, count, faults)
}

/** `<origin>`, whose numbers MuJoCo checks everywhere. */
export function checkOrigin(parent: XmlElement, faults: Faults): void {
  const origin = onlyChild(parent, 'origin', faults)
  if (!origin) return
  numbersOf(origin, 'xyz', 3, faults)
  numbersOf(origin, 'rpy', 3, faults)
}

/** An element of the MJCF equivalent of a URDF; omits attributes without a value. */
export function mjcfElement(
  name: string,
  attributes: Readonly<Record<string, string | null>>,
  writtenAs: XmlElement,
  children: XmlElement[] = [],
): XmlElement {
  const given = Object.entries(attributes).filter((entry): entry is [string, string] => entry[1] !== null)
  return { name, attributes: new Map(given), children, file: writtenAs.file, line: writtenAs.line }
}

function reportLack(element: XmlElement, attribute: string, faults: Faults): void {
  faults.add('schema', element, `<${element.name}> has no ${attribute}.`, { names: [attribute] })
}
