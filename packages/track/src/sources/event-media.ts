/** Pictures, sound, text and histograms of event files, as lines of `media.jsonl` and files next to it. */
import { createHash } from 'node:crypto'
import { mkdir, open } from 'node:fs/promises'
import { join } from 'node:path'
import { writeExact } from '@hub/formats/exact-json'
import { readFrom, sizeOf } from '@hub/runner/worker/growing-file'
import type { EventRecord, EventValue, Histogram } from '@hub/tensorboard'
import { replaceFile } from '../replace-file.ts'
import type { TrackFiles } from '../track-folder.ts'

interface MediaOptions {
  readonly file: string
  /** Before each tag. */
  readonly prefix: string
  readonly files: TrackFiles
  readonly logLine: (line: string) => void
}

/** What an entry has instead of a name: a value of its line, or the bytes of a file. */
type Content =
  | { readonly value: unknown }
  | { readonly bytes: Uint8Array; readonly extension: string; readonly width?: number; readonly height?: number }
type Entry = Content & { readonly kind: string }

/** Below the run folder. */
const FOLDER = 'media/tensorboard'
/** Of a value in its line. */
const MAX_VALUE = 64 * 1024
/** Bytes of lines that are held. */
const MAX_HELD = 1024 * 1024
const NEWLINE = 10

/** Collects the media of records. The file and the line of a record have the same name and text whenever it is read. */
export function eventMedia({ file, prefix, files, logLine }: MediaOptions) {
  const source = createHash('sha256').update(file).digest('hex').slice(0, 12)
  const said = new Set<string>()
  let [held, size] = [[] as string[], 0]

  function leaveOut(tag: string): null {
    if (!said.has(tag)) logLine(`${file}: a histogram ${tag} with an edge that is not a number is left out`)
    said.add(tag)
    return null
  }

  function entriesOf(value: EventValue): readonly Entry[] {
    if (value.kind !== 'histogram') return kept(value)
    if (value.value.counts.length === 0) return []
    const fitting = fittingHistogram(value.value) ?? leaveOut(value.tag)
    return fitting === null ? [] : [{ kind: 'histogram', value: fitting }]
  }

  async function flush(): Promise<void> {
    if (held.length > 0) await appendLines(files.media, held.join(''))
    held = []
    size = 0
  }

  return {
    async add({ values, step, wallTime, offset }: EventRecord): Promise<void> {
      for (const [place, value] of values.entries())
        for (const [index, entry] of entriesOf(value).entries()) {
          const { kind, ...content } = entry
          const name = `${FOLDER}/${source}-${offset}-${place}-${index}`
          const told = 'bytes' in content ? await keepFile(files.dir, name, content) : content
          const line = { key: `${prefix}${value.tag}`, step, index, kind, ...told, ts: wallTime }
          held.push(`${writeExact({ ...line, step: Number(step) })}\n`)
          size += held.at(-1)?.length ?? 0
        }
      if (size > MAX_HELD) await flush()
    },
    /** All that was added is on disk when it returns. */
    flush,
  }
}

/** Writes the file of an entry; what its line says of it. */
async function keepFile(
  dir: string,
  name: string,
  { bytes, extension, width = 0, height = 0 }: Extract<Content, { bytes: Uint8Array }>,
): Promise<Record<string, unknown>> {
  const path = `${name}.${extension}`
  await mkdir(join(dir, FOLDER), { recursive: true, mode: 0o700 })
  await replaceFile(join(dir, path), bytes)
  return { path, ...(width > 0 && height > 0 ? { width, height } : {}) }
}

function kept(value: Exclude<EventValue, { kind: 'histogram' }>): readonly Entry[] {
  switch (value.kind) {
    case 'image':
      return value.value.map(({ bytes, width, height }) => {
        const extension = imageExtension(bytes)
        return { kind: extension === 'bin' ? 'file' : 'image', bytes, extension, width, height }
      })
    case 'audio':
      return value.value.map(({ bytes }) => ({ kind: 'audio', bytes, extension: 'wav' }))
    case 'text':
      return textEntries(value)
    default:
      return []
  }
}

/** Text of two dimensions is a table; any other is an entry for each text. */
function textEntries({ value, shape }: Extract<EventValue, { kind: 'text' }>): readonly Entry[] {
  const [, width = 0] = shape
  if (shape.length !== 2 || width === 0) return value.map((text) => fittingValue('text', text, text, 'txt'))
  const rows = Array.from({ length: Math.floor(value.length / width) }, (_, row) =>
    value.slice(row * width, (row + 1) * width),
  )
  const table = { columns: Array.from({ length: width }, (_, column) => String(column + 1)), rows }
  return [fittingValue('table', table, writeExact(table), 'json')]
}

/** A value that is too long for its line is a file. */
function fittingValue(kind: string, value: unknown, text: string, extension: string): Entry {
  const isShort = Buffer.byteLength(writeExact(value)) <= MAX_VALUE
  return isShort ? { kind, value } : { kind, bytes: Buffer.from(text), extension }
}

/** Neighbors are joined until it fits into its line. Null if an edge or a count is not a finite number. */
function fittingHistogram({ edges, counts }: Histogram): Histogram | null {
  if (![...edges, ...counts].every(Number.isFinite)) return null
  const found = { edges, counts }
  if (writeExact(found).length <= MAX_VALUE) return found
  return fittingHistogram({
    edges: edges.filter((_, place) => place % 2 === 0 || place === edges.length - 1),
    counts: counts.flatMap((count, place) => (place % 2 === 0 ? [count + (counts[place + 1] ?? 0)] : [])),
  })
}

function imageExtension(bytes: Uint8Array): string {
  const head = Buffer.from(bytes.subarray(0, 12)).toString('latin1')
  if (head.startsWith('\x89PNG')) return 'png'
  if (head.startsWith('\xff\xd8\xff')) return 'jpg'
  if (head.startsWith('GIF8')) return 'gif'
  return head.startsWith('RIFF') && head.endsWith('WEBP') ? 'webp' : 'bin'
}

/** Appends in one write, behind the rest of a line that a killed process left: the command writes to the file too. */
async function appendLines(file: string, lines: string): Promise<void> {
  const end = await sizeOf(file)
  const [last = NEWLINE] = end === 0 ? [] : await readFrom(file, end - 1, 1)
  const handle = await open(file, 'a', 0o600)
  try {
    await handle.appendFile(last === NEWLINE ? lines : `\n${lines}`)
    await handle.sync()
  } finally {
    await handle.close()
  }
}
