/** A folder of TensorBoard's event files (`--tensorboard DIR`), whose scalars become lines of metrics. */
import { exactNumber, writeExact } from '@hub/formats/exact-json'
import { sizeOf } from '@hub/runner/worker/growing-file'
import { type EventFile, type EventRecord, eventFilesIn, readEvents } from '@hub/tensorboard'
import type { Spool, SpooledLine } from '../spool.ts'
import type { EventFolder } from '../track-journal.ts'
import type { Source } from './source.ts'

/** Between looks for new files. Those that are known are read at each poll. */
const LOOK_MS = 5000
/** Lines of one write to the spool. */
const BATCH = 500
/** Values of one line. */
const MAX_VALUES = 500

/** The folder as it is before the command begins: what its files hold then is of another run. */
export async function eventFolderNow(folder: string): Promise<EventFolder> {
  const { files } = await eventFilesIn(folder)
  const sizes = await Promise.all(files.map(async ({ file }) => [file, await sizeOf(file)] as const))
  return { folder, before: Object.fromEntries(sizes) }
}

interface EventFolderOptions {
  readonly spool: Spool
  readonly logLine: (line: string) => void
  readonly now?: () => number
}

/** Follows all event files below the folder. The spool has how far each is read. */
export function eventFolder(
  { folder, before }: EventFolder,
  { spool, logLine, now = () => performance.now() }: EventFolderOptions,
): Source {
  const known = new Map<string, ReturnType<typeof eventFile>>()
  let isCutSaid = false
  let dueAt = Number.NEGATIVE_INFINITY

  async function look(): Promise<void> {
    const { files, isCut } = await eventFilesIn(folder)
    if (isCut && !isCutSaid) logLine(`${folder} has over 1,000 event files or 10,000 folders: the rest is not read`)
    isCutSaid ||= isCut
    for (const one of files)
      if (!known.has(one.file)) known.set(one.file, eventFile(one, before[one.file] ?? 0, { spool, logLine }))
    dueAt = now() + LOOK_MS
  }

  return {
    async poll(isFinal) {
      if (isFinal || now() >= dueAt) await look()
      for (const file of known.values()) await file.poll(isFinal)
    },
  }
}

function eventFile({ file, run }: EventFile, from: number, { spool, logLine }: EventFolderOptions): Source {
  // A line of the spool names the file: as JSON it has no line end.
  const name = `tensorboard ${JSON.stringify(file)}`
  const prefix = run === '' ? '' : `${run}/`
  const plugins = new Map<string, string>()
  let [start, isEnded] = [null as number | null, false]

  /**
   * Only the first value of a tag must say its plugin: what was there before this process is looked through again. The
   * end of its last record that is complete, since `to` may be within one.
   */
  async function recall(to: number): Promise<number> {
    let behind = 0
    for await (const { offset } of readEvents(file, 0, { plugins })) {
      if (offset > to) break
      behind = offset
    }
    return behind
  }

  return {
    async poll() {
      const known = Math.max(from, spool.offsetOf(name))
      if (isEnded || (await sizeOf(file)) <= known) return
      start ??= await recall(known)
      const at = Math.max(start, spool.offsetOf(name))
      const lines = linesOf(prefix)
      for await (const record of readEvents(file, at, { plugins })) {
        if (record.fault !== null) logLine(`${file}: ${record.fault}`)
        isEnded = record.isEnd
        if (isEnded) break
        lines.add(record)
        if (lines.count() >= BATCH) spool.append(name, lines.take())
      }
      spool.append(name, lines.take())
    },
  }
}

/** Collects records as lines. Neighbors of one step share a line: many writers have a record for each tag. */
function linesOf(prefix: string) {
  const lines: SpooledLine[] = []
  let open: { readonly step: number | bigint; readonly values: Map<string, unknown>; to: number } | null = null

  function close(): void {
    if (open === null) return
    const { step, values, to } = open
    lines.push({ to, text: writeExact(Object.fromEntries([['step', inJson(step)], ...values])) })
    open = null
  }

  return {
    add(record: EventRecord) {
      const values = scalarsOf(record, prefix)
      const isNeighbor =
        open !== null &&
        (values.size === 0 || (open.step === record.step && open.values.size + values.size <= MAX_VALUES)) &&
        ![...values.keys()].some((key) => open?.values.has(key))
      if (!isNeighbor) close()
      if (open !== null) {
        for (const [key, value] of values) open.values.set(key, value)
        open.to = record.offset
      } else if (values.size > 0) open = { step: record.step, values, to: record.offset }
      else lines.push({ to: record.offset, text: '' })
    },
    count: () => lines.length,
    take(): SpooledLine[] {
      close()
      return lines.splice(0)
    },
  }
}

/** By name. A record is one line whatever it holds, so that no kill comes between its values. */
function scalarsOf({ values }: EventRecord, prefix: string): Map<string, unknown> {
  const found = new Map<string, unknown>()
  for (const value of values) {
    const key = `${prefix}${value.tag}`
    // A scalar of this name would hide the step of the event.
    if (value.kind === 'scalar' && key !== 'step') found.set(key, inJson(value.value))
  }
  return found
}

/** With all digits; JSON has neither NaN nor infinities. */
function inJson(value: number | bigint): unknown {
  if (typeof value === 'bigint') return exactNumber(String(value))
  return Number.isFinite(value) ? value : null
}
