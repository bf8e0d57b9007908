/**
 * Looks for the dearest operation that the limits accept: documents of a schema are built from a tape of numbers, each as large as is accepted, executed, and the
 * tapes of the dearest are changed a little and tried again.
 */
import {
  type GraphQLField,
  type GraphQLNamedType,
  type GraphQLSchema,
  getNamedType,
  isAbstractType,
  isLeafType,
  isNonNullType,
  isObjectType,
} from 'graphql'
import { type Documents, PreparedDocument } from '../../src/http/graphql-documents.ts'
import { assertCost, eventLimits, executionLimits } from '../../src/http/graphql-limits.ts'

/** A root field with its arguments, by which hostile data is reached: `repos(first: $SIZE)`. */
export interface Beginning {
  readonly kind: 'query' | 'subscription'
  readonly text: string
  readonly field: string
}

/** Reads numbers from 0 to below 1; after the end of the tape it begins again. */
class Tape {
  readonly #cells: readonly number[]
  #at = 0

  constructor(cells: readonly number[]) {
    this.#cells = cells
  }

  next(): number {
    const cell = this.#cells[this.#at % this.#cells.length] ?? 0
    this.#at += 1
    return cell
  }

  pick<T>(options: readonly T[]): T {
    const at = Math.floor(this.next() * options.length)
    return options[at] as T
  }
}

const LEVELS = 6
/** More would be over the limit of tokens. */
const MOST_CHARACTERS = 20_000
const pageSizes = ['', 'first: null', 'first: 1', 'first: 5', 'first: 20', 'first: 100']

/** The largest document of the tape that the limits accept; null where even the smallest is refused. */
export function documentOf(
  documents: Documents,
  beginnings: readonly Beginning[],
  cells: readonly number[],
): string | null {
  for (const scale of [1, 0.7, 0.5, 0.35, 0.25, 0.15, 0.1, 0.05, 0.02]) {
    const tape = new Tape(cells)
    const beginning = tape.pick(beginnings)
    const text = build(documents.schema, tape, beginning, scale)
    if (text !== null && isAccepted(documents, text, beginning.kind)) return text
  }
  return null
}

function isAccepted(documents: Documents, text: string, kind: Beginning['kind']): boolean {
  const prepared = documents.prepare(text)
  if (!(prepared instanceof PreparedDocument)) return false
  try {
    assertCost(prepared.costOf(null, {}), kind === 'query' ? executionLimits : eventLimits)
    return true
  } catch {
    return false
  }
}

function build(schema: GraphQLSchema, tape: Tape, { kind, text, field }: Beginning, scale: number): string | null {
  const root = kind === 'query' ? schema.getQueryType() : schema.getSubscriptionType()
  const type = root?.getFields()[field]?.type
  if (!type) throw new Error(`There is no ${kind} ${field}.`)
  const below = selectionOf(schema, tape, getNamedType(type), LEVELS, scale)
  if (below === null) return null
  const roots = kind === 'query' ? Math.max(1, Math.round(tape.next() ** 2 * 20 * scale)) : 1
  const repeated = Array.from({ length: roots }, (_, at) => `r${at}: ${text} { ...F }`).join(' ')
  return `${kind} { ${repeated} } fragment F on ${getNamedType(type).name} ${below}`
}

/** Some fields of the type, some of them again and again. */
function selectionOf(
  schema: GraphQLSchema,
  tape: Tape,
  type: GraphQLNamedType,
  levels: number,
  scale: number,
): string | null {
  if (isAbstractType(type)) {
    const one = tape.pick(schema.getPossibleTypes(type))
    const inner = selectionOf(schema, tape, one, levels, scale)
    return inner && `{ ... on ${one.name} ${inner} }`
  }
  if (!isObjectType(type)) return null
  const fields = Object.values(type.getFields()).filter((field) => !needsArguments(field))
  const leaves = fields.filter((field) => isLeafType(getNamedType(field.type)))
  const others = fields.filter((field) => !isLeafType(getNamedType(field.type)))
  const parts: string[] = []
  let alias = 0
  const add = (text: string, times: number) => {
    for (let at = 0; at < times; at += 1) {
      parts.push(`${times > 1 ? `a${alias}: ` : ''}${text}`)
      alias += 1
    }
  }
  const share = tape.next()
  for (const leaf of leaves) if (tape.next() < share) add(leaf.name, 1)
  if (leaves.length > 0 && tape.next() < 0.4) add(tape.pick(leaves).name, Math.ceil(tape.next() * 200 * scale))
  const isPage = type.name.endsWith('Connection') || type.name.endsWith('Edge')
  const count = levels === 0 ? 0 : isPage ? 1 : Math.round(tape.next() * 3)
  for (let at = 0; at < count && others.length > 0; at += 1) {
    const field = isPage ? (others.find(({ name }) => name === 'nodes') ?? tape.pick(others)) : tape.pick(others)
    const inner = selectionOf(schema, tape, getNamedType(field.type), levels - (isPage ? 0 : 1), scale)
    if (inner === null) continue
    const wanted = tape.next() < 0.5 ? 1 : Math.ceil(tape.next() * 60 * scale)
    const times = Math.max(1, Math.min(wanted, Math.floor(MOST_CHARACTERS / inner.length)))
    add(`${field.name}${argumentsOf(field, tape)} ${inner}`, isPage ? 1 : times)
  }
  if (parts.length === 0) parts.push('__typename')
  return `{ ${parts.join(' ')} }`
}

function argumentsOf(field: GraphQLField<unknown, unknown>, tape: Tape): string {
  if (!field.args.some(({ name }) => name === 'first')) return ''
  const size = tape.pick(pageSizes)
  return size === '' ? '' : `(${size})`
}

const needsArguments = ({ args }: GraphQLField<unknown, unknown>): boolean =>
  args.some(({ type, defaultValue }) => isNonNullType(type) && defaultValue === undefined)

export interface Measured {
  readonly text: string
  readonly cells: readonly number[]
  readonly score: number
}

/** Tries tapes until the time is over, and at least `atLeast` of them: new ones, and those of the dearest with some cells changed. `random` yields numbers from 0 to below 1. */
export async function searchDearest(options: {
  readonly documents: Documents
  readonly beginnings: readonly Beginning[]
  readonly random: () => number
  readonly untilMs: number
  readonly atLeast: number
  readonly keep: number
  readonly measure: (text: string) => Promise<number>
}): Promise<{ readonly dearest: readonly Measured[]; readonly tried: number }> {
  const { documents, beginnings, random, untilMs, atLeast, keep, measure } = options
  let dearest: Measured[] = []
  let tried = 0
  const fresh = () => Array.from({ length: 120 }, random)
  while (performance.now() < untilMs || tried < atLeast) {
    const parent = dearest[Math.floor(random() * dearest.length)]
    const cells = parent && random() < 0.6 ? parent.cells.map((cell) => (random() < 0.06 ? random() : cell)) : fresh()
    const text = documentOf(documents, beginnings, cells)
    if (text === null || dearest.some((known) => known.text === text)) continue
    const score = await measure(text)
    tried += 1
    dearest = [...dearest, { text, cells, score }].sort((a, b) => b.score - a.score).slice(0, keep)
  }
  return { dearest, tried }
}

/** A small generator of numbers from 0 to below 1, which repeats with its seed. */
export function seeded(seed: number): () => number {
  let state = seed >>> 0
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state / 2 ** 32
  }
}
