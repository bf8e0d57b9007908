/** One event file of TensorBoard that grows: scalars become metrics, other kinds media, settings config. */
import { sizeOf } from '@hub/runner/worker/growing-file'
import { type EventFile, type EventRecord, readEvents } from '@hub/tensorboard'
import type { Spool } from '../spool.ts'
import type { TrackFiles } from '../track-folder.ts'
import { linesOf } from './event-lines.ts'
import { eventMedia } from './event-media.ts'
import { keepHparams } from './hparams.ts'
import type { Source } from './source.ts'

/** Lines of one write to the spool. */
const BATCH = 500

export interface EventOptions {
  readonly files: TrackFiles
  readonly spool: Spool
  readonly logLine: (line: string) => void
}

/**
 * Follows the file behind byte `from`. The spool has how far it is read: media and config are written before that is, so
 * that a kill between leaves values that are written again, the same under the same names.
 */
export function eventFile({ file, run }: EventFile, from: number, options: EventOptions): Source {
  const { files, spool, logLine } = options
  // A line of the spool names the file: as JSON it has no line end.
  const name = `tensorboard ${JSON.stringify(file)}`
  const prefix = run === '' ? '' : `${run}/`
  const plugins = new Map<string, string>()
  const media = eventMedia({ file, prefix, files, logLine })
  let [start, isEnded, wasSaid] = [null as number | null, false, false]

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

  /** The first one of a file: a bad disk has thousands. */
  function sayFault({ fault, isEnd }: EventRecord): void {
    if (fault === null || (wasSaid && !isEnd)) return
    logLine(`${file}: ${fault}`)
    wasSaid = true
  }

  return {
    async poll() {
      const known = Math.max(from, spool.offsetOf(name))
      if (isEnded || (await sizeOf(file)) <= known) return
      start ??= await recall(known)
      const at = Math.max(start, spool.offsetOf(name))
      const lines = linesOf(prefix)
      const flush = async () => {
        await media.flush()
        spool.append(name, lines.take())
      }
      for await (const record of readEvents(file, at, { plugins })) {
        sayFault(record)
        isEnded = record.isEnd
        if (isEnded) break
        await media.add(record)
        for (const value of record.values) if (value.kind === 'hparams') await keepHparams(files, value.value)
        lines.add(record)
        if (lines.count() >= BATCH) await flush()
      }
      await flush()
    },
  }
}
