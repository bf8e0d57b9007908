/** MuJoCo's checks of the attributes of one element, beyond value formats. Each returns a message, or null. */
import type { XmlElement } from '../xml/element.ts'
import { KEYWORDS, type KeywordSet } from './keywords.ts'
import { readNumber, readNumbers, short, wordsOf } from './values.ts'

/**
 * The rest of a sentence that begins with the element, such as `<map>`; null if nothing is wrong or a value cannot be
 * parsed.
 */
export type ElementCheck = (element: XmlElement) => string | null

/** The number of the attribute must be larger than a bound; `nan` passes. */
export function above(attribute: string, bound: number): ElementCheck {
  return (element) => {
    const value = numberAt(element, attribute)
    return value !== null && value <= bound ? `has the ${attribute} ${value}, which must be larger than ${bound}` : null
  }
}

/** The number of the attribute must not be below -1, which means "as many as needed". */
export function notBelowMinusOne(attribute: string): ElementCheck {
  return (element) => {
    const value = numberAt(element, attribute)
    return value !== null && value < -1 ? `has the ${attribute} ${value}, which must be at least -1` : null
  }
}

/** Each number of the attribute must lie in a range, ends included. */
export function within(attribute: string, least: number, most: number): ElementCheck {
  return (element) => {
    const value = numbersAt(element, attribute)?.find((number) => number < least || number > most)
    return value === undefined ? null : `has the ${attribute} ${value}, which must be from ${least} to ${most}`
  }
}

/** A quaternion of zeros is invalid. */
export function nonzeroQuat(element: XmlElement): string | null {
  const quat = numbersAt(element, 'quat')
  return quat?.length === 4 && quat.every((number) => number === 0) ? 'has a quat of zeros' : null
}

/** One of the five ways to write a rotation. An empty `quat` counts as given, the others do not. */
export function oneOrientation(element: XmlElement): string | null {
  const given = ['axisangle', 'xyaxes', 'zaxis', 'euler'].filter((name) => (numbersAt(element, name)?.length ?? 0) > 0)
  if (element.attributes.has('quat')) given.unshift('quat')
  return given.length > 1 ? `has more than one rotation: ${given.join(', ')}` : null
}

/** The given words of a set must be in the order of the set. */
export function inOrder(attribute: string, set: KeywordSet): ElementCheck {
  const order = KEYWORDS[set]
  return (element) => {
    const places = wordsOf(element.attributes.get(attribute) ?? '').map((word) => order.indexOf(word))
    const sorted = places.every((place, i) => i === 0 || place > (places[i - 1] as number))
    return sorted || places.includes(-1) ? null : `has the ${attribute} out of order; the order is ${order.join(', ')}`
  }
}

/** Inputs of an actuator: a chart, `none`, or some of pos, vel, ff, voltage in that order. */
export function actuatorInput(element: XmlElement): string | null {
  const text = element.attributes.get('input')
  if (text === undefined || ['expmap', 'quat', 'none'].includes(text)) return null
  const order = ['pos', 'vel', 'ff', 'voltage']
  const words = wordsOf(text)
  const unknown = words.find((word) => !order.includes(word))
  if (unknown !== undefined) return `has the input "${short(unknown)}", which is none of ${order.join(', ')}`
  const places = words.map((word) => order.indexOf(word))
  return places.every((place, i) => i === 0 || place > (places[i - 1] as number))
    ? null
    : `has inputs out of order; the order is ${order.join(', ')}`
}

/**
 * Attributes of slider-cranks and site transmissions are only allowed with those. The last transmission of the list
 * holds.
 */
export function transmissionParts(element: XmlElement): string | null {
  const given = ['joint', 'jointinparent', 'tendon', 'cranksite', 'site', 'body'].filter((name) =>
    element.attributes.has(name),
  )
  const target = given.at(-1)
  if (target === undefined) return null
  const crank = element.attributes.has('slidersite') || numberAt(element, 'cranklength') !== null
  if (crank && target !== 'cranksite')
    return `has a slidersite or cranklength, which only a slider-crank has, but acts on a ${target}`
  return element.attributes.has('refsite') && target !== 'site'
    ? `has a refsite, which only a site transmission has, but acts on a ${target}`
    : null
}

/** Positions no longer have a choice of frame. */
export function localCoordinates(element: XmlElement): string | null {
  return element.attributes.get('coordinate') === 'global'
    ? 'has coordinate="global", which MuJoCo no longer supports'
    : null
}

/** The number of an attribute, null if there is no valid one. */
export function numberAt(element: XmlElement, attribute: string): number | null {
  const text = element.attributes.get(attribute)
  return text === undefined ? null : readNumber(text)
}

/** The numbers of an attribute, null if there are no valid ones. */
export function numbersAt(element: XmlElement, attribute: string): number[] | null {
  const text = element.attributes.get(attribute)
  return text === undefined ? null : readNumbers(text)
}
