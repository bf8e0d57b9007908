/** Every place of the grammar as a small document around one element of it. */

import { FRAME, REPLICATE } from '../../src/grammar/body-rows.ts'
import { KEYWORDS } from '../../src/grammar/keywords.ts'
import { MUJOCO } from '../../src/grammar/mjcf-rows.ts'
import type { Attribute, Row } from '../../src/grammar/row.ts'

export interface Context {
  /** Tags from the root down. */
  readonly path: readonly string[]
  readonly row: Row
  /**
   * The element with what it needs; `attributes` come first and replace the needed ones (null: left out), `inside` is
   * its content.
   */
  document(attributes?: Attributes, inside?: string): string
}

type Attributes = Readonly<Record<string, string | null>>

/** All contexts that MuJoCo holds against its grammar, in the order of the tables. */
export function contexts(): Context[] {
  return contextsBelow(['mujoco'], MUJOCO, (element) => element)
}

/** Frames and replicates, where MuJoCo checks only values. */
export function looseContexts(): Context[] {
  const wrap = (element: string) => `<mujoco><worldbody><body>${element}</body></worldbody></mujoco>`
  return [
    { path: ['frame'], row: FRAME, document: documentOf('frame', FRAME, wrap) },
    { path: ['replicate'], row: REPLICATE, document: documentOf('replicate', REPLICATE, wrap) },
  ]
}

type Wrap = (element: string) => string

function contextsBelow(path: readonly string[], row: Row, wrap: Wrap): Context[] {
  const tag = path.at(-1) as string
  const document = documentOf(tag, row, wrap)
  const context = { path, row, document }
  // a world body has the children of a body, save those that move, and none of its attributes
  if (tag === 'worldbody') return [context, ...contextsBelow([...path, 'body'], row, (body) => document({}, body))]
  const children = [...row.children].flatMap(([name, child]) =>
    contextsBelow([...path, name], child.row, (element) => document({}, element)),
  )
  return [context, ...children]
}

function documentOf(tag: string, row: Row, wrap: Wrap): Context['document'] {
  return (attributes = {}, inside = '') => wrap(elementOf(tag, row, attributes, inside))
}

function elementOf(tag: string, row: Row, attributes: Attributes, inside: string): string {
  const text = Object.entries({ ...attributes, ...without(needed(row), attributes) })
    .filter(([, value]) => value !== null)
    .map(([name, value]) => ` ${name}="${value}"`)
  return `<${tag}${text.join('')}>${inside}</${tag}>`
}

function without(needed: Readonly<Record<string, string>>, given: Attributes): Record<string, string> {
  return Object.fromEntries(Object.entries(needed).filter(([name]) => !(name in given)))
}

function needed(row: Row): Record<string, string> {
  const bundles = row.constraints.filter(({ kind }) => kind === 'oneOf').flatMap(({ bundles }) => bundles[0] ?? [])
  const required = [...row.attributes].filter(([, { required }]) => required).map(([name]) => name)
  return Object.fromEntries(
    [...required, ...bundles].map((name) => [name, sample(row.attributes.get(name) as Attribute)]),
  )
}

/** A value that the grammar takes for that attribute. */
export function sample({ type }: Attribute): string {
  switch (type.kind) {
    case 'text':
      return 'x'
    case 'whole':
      return '1'
    case 'keyword':
    case 'flags':
      return KEYWORDS[type.set][0] as string
    case 'chars':
      return 'x'.repeat(Math.max(1, type.least))
    default:
      return new Array(Math.max(1, type.least)).fill('1').join(' ')
  }
}
