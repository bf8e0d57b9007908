/** Tables and histograms of a run's media, as far as they have their form. Pure. */
import { asDouble, isJsonObject, parseExact } from '@hub/formats/exact-json'

export interface MediaTable {
  readonly columns: readonly unknown[]
  readonly rows: readonly (readonly unknown[])[]
}

export interface MediaHistogram {
  readonly edges: readonly number[]
  readonly counts: readonly number[]
}

/** The JSON of a file; null for text that is none, or cut off. */
export function valueIn(text: string): unknown {
  try {
    return parseExact(text)
  } catch {
    return null
  }
}

export function tableOf(value: unknown): MediaTable | null {
  if (!isJsonObject(value)) return null
  const { columns, rows } = value
  return Array.isArray(columns) && Array.isArray(rows) && rows.every(Array.isArray) ? { columns, rows } : null
}

export function histogramOf(value: unknown): MediaHistogram | null {
  if (!isJsonObject(value)) return null
  const [edges, counts] = [numbersOf(value.edges), numbersOf(value.counts)]
  return edges && counts && counts.length > 0 && edges.length === counts.length + 1 ? drawable({ edges, counts }) : null
}

/** A file of half a megabyte has room for 100,000 bins: a page draws as many as it has pixels for. */
const MOST_BARS = 1000

/** Neighbors are joined until there are few enough bars. */
function drawable({ edges, counts }: MediaHistogram): MediaHistogram {
  if (counts.length <= MOST_BARS) return { edges, counts }
  return drawable({
    edges: edges.filter((_, place) => place % 2 === 0 || place === edges.length - 1),
    counts: counts.flatMap((count, place) => (place % 2 === 0 ? [count + (counts[place + 1] ?? 0)] : [])),
  })
}

function numbersOf(list: unknown): number[] | null {
  if (!Array.isArray(list)) return null
  const numbers = list.map(asDouble)
  return numbers.every((one) => one !== null && Number.isFinite(one)) ? (numbers as number[]) : null
}

/** The places of bars in a drawing of 100 by 100: x, width and height. Bins may have any widths. */
export function barsOf({ edges, counts }: MediaHistogram): readonly (readonly [number, number, number])[] {
  const first = edges[0] ?? 0
  const span = (edges.at(-1) ?? 0) - first
  const most = Math.max(...counts, 0)
  const even = 100 / counts.length
  return counts.map((count, at) => {
    const [from = 0, to = 0] = [edges[at], edges[at + 1]]
    const height = most > 0 ? (Math.max(count, 0) / most) * 100 : 0
    return span > 0 ? [((from - first) / span) * 100, ((to - from) / span) * 100, height] : [at * even, even, height]
  })
}

/** The place of the greatest step that is at most `step`; the last one for null. */
export function placeOfStep(steps: readonly number[], step: number | null): number {
  if (step === null) return Math.max(steps.length - 1, 0)
  return Math.max(
    steps.findLastIndex((one) => one <= step),
    0,
  )
}
