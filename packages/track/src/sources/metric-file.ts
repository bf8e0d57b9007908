/** A file of metrics that the command writes outside its run folder (`--metrics FILE`). */
import { createHash } from 'node:crypto'
import { extname } from 'node:path'
import { readFrom, sizeOf } from '@hub/runner/worker/growing-file'
import type { Spool } from '../spool.ts'
import type { SourceFile } from '../track-journal.ts'
import { csvSource } from './csv-source.ts'
import { linesSource } from './lines-source.ts'
import type { Source } from './source.ts'

/** So much of the beginning tells whether the file was rewritten. In bytes. */
const HEAD = 1024

/** The file as it is before the command begins: what is in it then is of another run. */
export async function metricFileNow(file: string): Promise<SourceFile> {
  const from = await sizeOf(file)
  return { kind: extname(file).toLowerCase() === '.csv' ? 'csv' : 'lines', file, from, head: await headOf(file, from) }
}

const headOf = async (file: string, size: number) =>
  createHash('sha256')
    .update(await readFrom(file, 0, Math.min(size, HEAD)))
    .digest('hex')

/** Follows the file; one that the command rewrites is read from its beginning. */
export function metricFile(
  { kind, file, from, head }: SourceFile,
  given: { readonly spool: Spool; readonly logLine: (line: string) => void },
): Source {
  const { spool } = given
  const nameOf = (times: number) => `${file}${times === 0 ? '' : `, part ${times + 1}`}`
  let times = 0
  while (spool.offsetOf(nameOf(times + 1)) > 0) times += 1
  if (from > 0 && spool.offsetOf(nameOf(0)) === 0) spool.append(nameOf(0), [{ to: from, text: '' }])
  const open = () => (kind === 'csv' ? csvSource : linesSource)({ ...given, file, name: nameOf(times) })
  let source = open()

  async function isBegunAnew(): Promise<boolean> {
    const [size, at] = [await sizeOf(file), spool.offsetOf(nameOf(times))]
    if (size < at) return size > 0
    return times === 0 && from > 0 && (await headOf(file, from)) !== head
  }

  return {
    async poll(isFinal) {
      if (await isBegunAnew()) {
        times += 1
        source = open()
      }
      await source.poll(isFinal)
    },
  }
}
