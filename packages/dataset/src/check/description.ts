/** All that `meta/info.json` says of the columns and totals of a data set, as far as a check compares it. Pure. */
import { namesOf } from '@hub/embodiment/feature-names'
import { type EpisodesInfo, INFO_PATH, readInfo } from '../info.ts'
import { jsonObject } from './dataset-files.ts'

/** A column of numbers, as `features` describes it. */
export interface NumberFeature {
  readonly name: string
  readonly dtype: string
  /** Numbers of a frame. */
  readonly width: number
  readonly shape: readonly number[]
  /** One for each number; made of its place where the description has no name for it. */
  readonly labels: readonly string[]
  /** How many names the description has; 0 for none. */
  readonly namesTold: number
}

/** What a check knows of a data set before it reads a table. */
export interface Description {
  readonly info: EpisodesInfo
  readonly features: readonly NumberFeature[]
  /** Columns that a check does not read: pictures in tables, texts, very wide ones. */
  readonly unread: readonly string[]
  readonly totals: Readonly<Record<'episodes' | 'frames' | 'tasks' | 'chunks' | 'videos', number | null>>
}

/** A wider column is not a vector of joints or of an environment. */
const MAX_WIDTH = 512

const numberTypes = /^(bool|u?int(8|16|32|64)|float(16|32|64))$/

/** Or why it cannot be read. */
export function readDescription(text: string | null): Description | { readonly why: string } {
  if (text === null) return { why: `there is no ${INFO_PATH}` }
  const info = readInfo(text)
  if ('why' in info) return info
  const all = jsonObject(text) ?? {}
  const total = (name: string) => {
    const value = all[`total_${name}`]
    return typeof value === 'number' ? value : null
  }
  const told = Object.entries(objectOf(all.features)).filter(([, { dtype }]) => dtype !== 'video')
  const read = told.map(([name, feature]) => numberFeature(name, feature))
  return {
    info,
    features: read.filter((feature) => feature !== null),
    unread: told.flatMap(([name], at) => (read[at] === null ? [name] : [])),
    totals: {
      episodes: total('episodes'),
      frames: total('frames'),
      tasks: total('tasks'),
      chunks: total('chunks'),
      videos: total('videos'),
    },
  }
}

const objectOf = (value: unknown) =>
  (typeof value === 'object' && value !== null ? value : {}) as Record<string, Record<string, unknown>>

function numberFeature(name: string, feature: Record<string, unknown>): NumberFeature | null {
  const dtype = String(feature.dtype)
  const shape = Array.isArray(feature.shape) ? feature.shape.map(Number) : [1]
  const width = shape.reduce((product, part) => product * part, 1)
  if (!numberTypes.test(dtype) || !(width >= 1 && width <= MAX_WIDTH)) return null
  const names = namesOf(feature.names)
  const labels = Array.from({ length: width }, (_, at) => names[at] ?? String(at))
  // Names of axes, as pictures have, are no names of numbers.
  return { name, dtype, width, shape, labels, namesTold: shape.length === 1 ? names.length : 0 }
}

/** `observation.state.elbow`; a column of one number is its own place. */
export const placeOf = ({ name, width, labels }: NumberFeature, at: number): string =>
  width === 1 ? name : `${name}.${labels[at] ?? at}`
