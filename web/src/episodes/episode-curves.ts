/** The rows of an episode as curves. Pure. */
import type { CurveFeature, EpisodesInfo } from '@hub/dataset/info'

export interface Curves {
  /** Seconds from the start of the episode. */
  readonly times: Float64Array
  readonly features: readonly { readonly name: string; readonly series: readonly Series[] }[]
}

interface Series {
  readonly label: string
  readonly values: Float64Array
}

/** An hour at 50 frames a second; a longer episode is plotted to there. */
export const MAX_FRAMES = 200_000

/** The columns that curves are read from. */
export const curveColumns = ({ curves }: EpisodesInfo): string[] => ['timestamp', ...curves.map(({ name }) => name)]

/** Without timestamps, frames are as far apart as `fps` says. Features that no row has are left out. */
export function curvesOf(info: EpisodesInfo, rows: readonly Readonly<Record<string, unknown>>[]): Curves {
  const start = numeric(rows[0]?.timestamp) ?? 0
  const times = Float64Array.from(rows, (row, at) => (numeric(row.timestamp) ?? start + at / info.fps) - start)
  const present = info.curves.filter(({ name }) => rows.some((row) => row[name] !== undefined && row[name] !== null))
  return { times, features: present.map((feature) => ({ name: feature.name, series: seriesOf(feature, rows) })) }
}

function seriesOf({ name, labels }: CurveFeature, rows: readonly Readonly<Record<string, unknown>>[]): Series[] {
  const values = labels.map(() => new Float64Array(rows.length).fill(Number.NaN))
  for (const [at, row] of rows.entries()) {
    const parts = flat(row[name])
    for (const [place, series] of values.entries()) series[at] = numeric(parts[place]) ?? Number.NaN
  }
  return labels.map((label, place) => ({ label, values: values[place] ?? new Float64Array() }))
}

function flat(value: unknown): readonly unknown[] {
  if (ArrayBuffer.isView(value)) return Array.from(value as Float32Array)
  return Array.isArray(value) ? value.flat(3) : [value]
}

const numeric = (value: unknown): number | null =>
  typeof value === 'bigint' ? Number(value) : typeof value === 'number' ? value : null

/** The frame that is shown at a time: the last one that is not after it. */
export function frameAt(times: ArrayLike<number>, time: number): number {
  let [low, high] = [0, times.length - 1]
  while (low < high) {
    const middle = Math.ceil((low + high) / 2)
    if ((times[middle] ?? 0) <= time + 1e-6) low = middle
    else high = middle - 1
  }
  return Math.max(0, low)
}

/** The frame whose time is nearest. */
export function frameNear(times: ArrayLike<number>, time: number): number {
  const at = frameAt(times, time)
  const [before, after] = [times[at] ?? 0, times[at + 1] ?? Number.POSITIVE_INFINITY]
  return after - time < time - before ? at + 1 : at
}
