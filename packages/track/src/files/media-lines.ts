/** Lines of `media.jsonl` as entries of a request, or why one is left out. */
import { lstat, realpath } from 'node:fs/promises'
import { join } from 'node:path'
import { asDouble, writeExact } from '@hub/formats/exact-json'
import { newPathFault } from '@hub/text/file-path'

/** What the hub is told of one entry; the path is one of the output repo. */
export type MediaEntry = Readonly<Record<string, unknown>>

/** A file to be in the repo before its entry is. */
export interface MediaFile {
  readonly file: string
  readonly path: string
}

export interface JudgedLine {
  readonly entry: MediaEntry
  readonly media: MediaFile | null
}

const KINDS = ['image', 'video', 'audio', 'table', 'histogram', 'html', 'text', 'file']
/** Bytes of a value, as JSON. */
const MAX_VALUE = 64 * 1024
const COPIED = ['index', 'caption', 'width', 'height', 'seconds'] as const

interface Place {
  /** The run folder. */
  readonly dir: string
  /** Where its media are in the repo. */
  readonly folder: string
  /** Files of earlier attempts are in the repo already, and not here. */
  readonly arePushed: boolean
}

/** The entry of a line; a text says what is wrong with it. */
export async function judgeLine(line: Readonly<Record<string, unknown>>, place: Place): Promise<JudgedLine | string> {
  const { key, kind, path, value, ts } = line
  const step = asDouble(line.step)
  if (typeof key !== 'string' || key === '') return 'it has no key'
  if (step === null || !Number.isSafeInteger(step) || step < 0) return 'its step is not a whole number'
  if (typeof kind !== 'string' || !KINDS.includes(kind)) return `its kind must be one of ${KINDS.join(', ')}`
  const said = Object.fromEntries(COPIED.flatMap((name) => (line[name] == null ? [] : [[name, line[name]]])))
  const entry = { key, step, kind, ...said, ...(timeOf(ts) === null ? {} : { at: timeOf(ts) }) }
  if (path == null) {
    if (value == null) return 'it has neither a path nor a value'
    const size = Buffer.byteLength(writeExact(value))
    if (size > MAX_VALUE) return `its value has ${size} bytes, and at most 65,536 are kept: write it as a file`
    return { entry: { ...entry, value }, media: null }
  }
  if (value != null) return 'it has both a path and a value'
  if (typeof path !== 'string' || !path.startsWith('media/')) return 'its path is not below media/'
  const name = path.normalize('NFC')
  const fault = newPathFault(name)
  if (fault !== null) return `its path ${fault}`
  const file = join(place.dir, path)
  if (!place.arePushed && !(await isOwnFile(place.dir, file))) return `there is no file ${path}`
  const inRepo = `${place.folder}/${name}`
  return { entry: { ...entry, path: inRepo }, media: { file, path: inRepo } }
}

/** A file in the folder itself: a link could lead to any file of the machine. */
async function isOwnFile(dir: string, file: string): Promise<boolean> {
  try {
    return (await lstat(file)).isFile() && (await realpath(file)) === join(await realpath(dir), file.slice(dir.length))
  } catch {
    return false
  }
}

/** Unix seconds, or a time as text; null for anything else. */
function timeOf(ts: unknown): string | null {
  const seconds = asDouble(ts)
  const time = new Date(seconds === null ? (typeof ts === 'string' ? ts : Number.NaN) : seconds * 1000)
  return Number.isNaN(time.getTime()) ? null : time.toISOString()
}
