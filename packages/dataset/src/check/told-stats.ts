/** The statistics that a data set says of itself, of each episode and of all, held against its numbers. */
import type { OpenParquet } from '../parquet.ts'
import { type DatasetFiles, jsonObject, linesOf } from './dataset-files.ts'
import { type NumberFeature, placeOf } from './description.ts'
import { numbersOf } from './episode-rows.ts'
import type { FindingList, FindingPlace } from './finding.ts'
import type { Moments } from './moments.ts'

const PARTS = ['count', 'min', 'max', 'mean', 'std'] as const

/** Numbers of each part for each column. */
export type Told = ReadonlyMap<string, Readonly<Partial<Record<(typeof PARTS)[number], readonly number[]>>>>

/** Asked in the order in which episodes are listed. */
export interface ToldStats {
  /** The file they are in. */
  readonly place: string
  /** Null where nothing is said of the episode. `at` is its place in the list. */
  of(episode: number, at: number): Promise<Told | null>
}

/** Layout 2: a line for each episode, read as far as it is asked for. */
export function statsOfLines(files: DatasetFiles, features: readonly NumberFeature[]): ToldStats {
  const place = 'meta/episodes_stats.jsonl'
  const lines = linesOf(files, place)
  // Lines that came before their episode was asked for.
  const early = new Map<number, Told>()
  return {
    place,
    async of(episode) {
      for (let known = early.get(episode); ; known = early.get(episode)) {
        if (known) {
          early.delete(episode)
          return known
        }
        // One more would be a file in no order: its other lines are not compared.
        if (early.size > MOST_EARLY) return null
        const { value, done } = await lines.next()
        if (done) return null
        const line = jsonObject(value)
        if (typeof line?.episode_index === 'number') early.set(line.episode_index, toldOf(line.stats, features))
      }
    },
  }
}

const MOST_EARLY = 1_000

/** Layout 3: columns `stats/<feature>/<part>` beside the episodes. */
export function statsOfTables(tables: readonly OpenParquet[], features: readonly NumberFeature[]): ToldStats {
  const names = features.flatMap(({ name }) => PARTS.map((part) => `stats/${name}/${part}`))
  const block: { start: number; rows: readonly Record<string, unknown>[] } = { start: 0, rows: [] }
  const load = async (at: number) => {
    let first = 0
    for (const table of tables) {
      let groupStart = first
      for (const rows of table.groups) {
        if (at >= groupStart && at < groupStart + rows) {
          const start = groupStart - first + Math.floor((at - groupStart) / BLOCK) * BLOCK
          block.start = first + start
          block.rows = await table.read(names, start, Math.min(start + BLOCK, groupStart - first + rows))
          return
        }
        groupStart += rows
      }
      first += table.rows
    }
    block.rows = []
  }
  return {
    place: 'meta/episodes',
    async of(_, at) {
      if (at < block.start || at >= block.start + block.rows.length) await load(at)
      const row = block.rows[at - block.start]
      if (!row) return null
      const stats = features.map(({ name }) => [name, ofRow(row, name)] as const)
      return toldOf(Object.fromEntries(stats), features)
    },
  }
}

/** Episodes whose statistics are in memory. */
const BLOCK = 1024

const ofRow = (row: Record<string, unknown>, name: string) =>
  Object.fromEntries(PARTS.map((part) => [part, row[`stats/${name}/${part}`]]))

/** Statistics of columns that are read; others are left out. */
export function toldOf(stats: unknown, features: readonly NumberFeature[]): Told {
  const told = new Map<string, Partial<Record<(typeof PARTS)[number], number[]>>>()
  if (typeof stats !== 'object' || stats === null) return told
  const all: Readonly<Record<string, unknown>> = { ...stats }
  for (const { name } of features) {
    const one = all[name]
    if (typeof one !== 'object' || one === null) continue
    const parts: Readonly<Record<string, unknown>> = { ...one }
    told.set(name, Object.fromEntries(PARTS.map((part) => [part, numbersOf(parts[part])])))
  }
  return told
}

/** Of the largest number: statistics are made of 32-bit floats, and of parts. */
const PRECISION = 1e-3

/** The first part of each column that differs is told. A column with numbers that are not finite has been told. */
export function compareStats(
  told: Told,
  found: readonly (readonly [NumberFeature, readonly Moments[]])[],
  { source, at, findings }: { readonly source: string; readonly at: FindingPlace; readonly findings: FindingList },
): void {
  for (const [feature, moments] of found) {
    const stats = told.get(feature.name)
    const wrong = stats && !moments.some(({ count }) => count !== moments[0]?.count) && firstWrong(stats, moments)
    if (!wrong) continue
    const detail = `${source} says ${wrong.part} ${short(wrong.told)}; of the data it is ${short(wrong.own)}`
    findings.add('stats', placeOf(feature, wrong.joint), detail, at)
  }
}

const short = (value: number) => String(Number(value.toPrecision(6)))

function firstWrong(stats: NonNullable<ReturnType<Told['get']>>, moments: readonly Moments[]) {
  for (const part of PARTS) {
    for (const [joint, own] of moments.entries()) {
      const told = stats[part]?.[part === 'count' ? 0 : joint]
      if (told === undefined || own.count === 0) continue
      const scale = Math.max(Math.abs(own.min), Math.abs(own.max), 1e-3)
      const isOff = part === 'count' ? told !== own.count : !(Math.abs(told - own[part]) <= PRECISION * scale)
      if (isOff) return { part, joint, told, own: own[part] }
    }
  }
  return null
}
