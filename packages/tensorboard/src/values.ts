/**
 * The values of a summary, of TensorFlow 1 (a field for each kind) and of today (tensors whose plugin says the kind).
 */
import { addAll, doublesIn, shortest, type Tensor, tensorIn } from './tensor.ts'
import { fieldsOf } from './wire.ts'

export interface Picture {
  /** A PNG, JPEG or GIF file. */
  readonly bytes: Uint8Array
  readonly width: number
  readonly height: number
}

export interface Clip {
  /** A WAV file. */
  readonly bytes: Uint8Array
}

/** `edges` has one more than `counts`. */
export interface Histogram {
  readonly edges: readonly number[]
  readonly counts: readonly number[]
}

export type EventValue = { readonly tag: string } & (
  | { readonly kind: 'scalar'; readonly value: number | bigint }
  | { readonly kind: 'image'; readonly value: readonly Picture[] }
  | { readonly kind: 'audio'; readonly value: readonly Clip[] }
  | { readonly kind: 'histogram'; readonly value: Histogram }
  /** `shape` as the writer gave it: text of two dimensions is a table. */
  | { readonly kind: 'text'; readonly value: readonly string[]; readonly shape: readonly number[] }
  | { readonly kind: 'hparams'; readonly value: Readonly<Record<string, number | string | boolean | null>> }
  /** Of a plugin that is not read. */
  | { readonly kind: 'other'; readonly value: string }
)

/** The value of a `Summary.Value`; null if it has none. Remembers the plugin that is named first for a tag. */
export function valueIn(message: Buffer, plugins: Map<string, string>): EventValue | null {
  let tag = ''
  let plugin: { readonly name: string; readonly content: Buffer } | null = null
  let found: { readonly number: number; readonly bytes: Buffer } | null = null
  for (const field of fieldsOf(message)) {
    if (field.number === 1) tag = field.bytes.toString('utf8')
    else if (field.number === 9) plugin = pluginIn(field.bytes)
    else if ([2, 4, 5, 6, 8].includes(field.number)) found = field
  }
  if (plugin !== null && plugin.name !== '' && !plugins.has(tag)) plugins.set(tag, plugin.name)
  const name = plugins.get(tag) ?? ''
  if (name === 'hparams') return { tag, kind: 'hparams', value: hparamsIn(plugin?.content ?? Buffer.alloc(0)) }
  if (found === null) return null
  switch (found.number) {
    case 2:
      return { tag, kind: 'scalar', value: shortest(found.bytes.readFloatLE(0)) }
    case 4:
      return { tag, kind: 'image', value: [pictureIn(found.bytes)] }
    case 5:
      return { tag, kind: 'histogram', value: oldHistogram(found.bytes) }
    case 6:
      return { tag, kind: 'audio', value: [{ bytes: lastBytes(found.bytes, 4) }] }
    default:
      // Those of other plugins have millions of numbers.
      return READ.has(name) ? { tag, ...kindOf(name, tensorIn(found.bytes)) } : { tag, kind: 'other', value: name }
  }
}

/** Plugins whose tensors are read. */
const READ: ReadonlySet<string> = new Set(['scalars', 'histograms', 'text', 'images', 'audio'])

type Untagged<Value> = Value extends unknown ? Omit<Value, 'tag'> : never

function kindOf(plugin: string, { shape, numbers, strings }: Tensor): Untagged<EventValue> {
  const [first] = numbers
  if (plugin === 'scalars' && shape.length === 0 && first !== undefined) return { kind: 'scalar', value: first }
  if (plugin === 'histograms') return { kind: 'histogram', value: histogramOf(numbers.map(Number)) }
  if (plugin === 'text') return { kind: 'text', value: strings.map((text) => text.toString('utf8')), shape }
  if (plugin === 'images') {
    const [width = 0, height = 0] = strings.slice(0, 2).map((text) => Number(text.toString('utf8')))
    return { kind: 'image', value: strings.slice(2).map((bytes) => ({ bytes, width, height })) }
  }
  if (plugin === 'audio') {
    // A second dimension has labels.
    const every = shape.length === 2 ? 2 : 1
    return { kind: 'audio', value: strings.filter((_, place) => place % every === 0).map((bytes) => ({ bytes })) }
  }
  return { kind: 'other', value: plugin }
}

function pluginIn(metadata: Buffer): { readonly name: string; readonly content: Buffer } {
  const data = lastBytes(metadata, 1)
  return { name: lastBytes(data, 1).toString('utf8'), content: lastBytes(data, 2) }
}

function lastBytes(message: Buffer, number: number): Buffer {
  let last = Buffer.alloc(0)
  for (const field of fieldsOf(message)) if (field.number === number) last = Buffer.from(field.bytes)
  return last
}

function pictureIn(message: Buffer): Picture {
  let [width, height] = [0, 0]
  for (const field of fieldsOf(message)) {
    if (field.number === 1) height = Number(field.varint)
    else if (field.number === 2) width = Number(field.varint)
  }
  return { bytes: lastBytes(message, 4), width, height }
}

/** Rows of left edge, right edge, count. */
function histogramOf(rows: readonly number[]): Histogram {
  const edges = rows.slice(0, 1)
  const counts: number[] = []
  for (let at = 0; at + 2 < rows.length; at += 3) {
    edges.push(rows[at + 1] ?? 0)
    counts.push(rows[at + 2] ?? 0)
  }
  return { edges, counts }
}

/** Its outer buckets reach to the end of all doubles: `min` and `max` are their edges, and empty ones are left out. */
function oldHistogram(message: Buffer): Histogram {
  const [min = 0] = doublesIn(lastBytes(message, 1))
  const [max = 0] = doublesIn(lastBytes(message, 2))
  const limits: number[] = []
  const counts: number[] = []
  for (const { number, bytes } of fieldsOf(message)) {
    if (number === 6) addAll(limits, doublesIn(bytes))
    else if (number === 7) addAll(counts, doublesIn(bytes))
  }
  const first = counts.findIndex((count) => count > 0)
  if (first < 0) return { edges: [], counts: [] }
  const last = counts.findLastIndex((count) => count > 0)
  return { edges: [min, ...limits.slice(first, last), max], counts: counts.slice(first, last + 1) }
}

/** Of `HParamsPluginData`: the settings that a session began with. */
function hparamsIn(content: Buffer): Record<string, number | string | boolean | null> {
  const entries: [string, number | string | boolean | null][] = []
  for (const field of fieldsOf(lastBytes(content, 3)))
    if (field.number === 1)
      entries.push([lastBytes(field.bytes, 1).toString('utf8'), settingIn(lastBytes(field.bytes, 2))])
  return Object.fromEntries(entries)
}

function settingIn(message: Buffer): number | string | boolean | null {
  for (const { number, bytes, varint } of fieldsOf(message)) {
    if (number === 2) return bytes.readDoubleLE(0)
    if (number === 3) return bytes.toString('utf8')
    if (number === 4) return varint !== 0n
  }
  return null
}
