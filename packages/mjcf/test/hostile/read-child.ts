/** Reads one model of a folder and reports the result, its time and its memory. */
import { readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { ModelFiles } from '../../src/model-files.ts'
import { readModel } from '../../src/read-model.ts'
import { memoryFiles } from '../memory-files.ts'

export interface ReadOutcome {
  readonly complaints: readonly string[]
  readonly outside: readonly string[]
  /**
   * Processor time, garbage collection included, since other processes of the machine are not to blame on the reader.
   */
  readonly ms: number
  /** What the reading took on top of a process that has read a small model. */
  readonly megabytes: number
}

const [, , folder = '', entry = ''] = process.argv
const outside: string[] = []
const absent = () => null

const pathOf = (path: string) => {
  if (path.startsWith('/') || path.split('/').some((part) => part === '..' || part === '.')) outside.push(path)
  return join(folder, path)
}

const files: ModelFiles = {
  readFile: (path) => readFile(pathOf(path)).catch(absent),
  sizesOf: (paths) =>
    Promise.all(paths.map((path) => stat(pathOf(path)).then((found) => (found.isFile() ? found.size : null), absent))),
}

const peak = () => process.resourceUsage().maxRSS / 1024

await readModel(memoryFiles({ 'a.xml': '<mujoco><worldbody><geom size="1"/></worldbody></mujoco>' }), 'a.xml')
const before = peak()
const start = process.cpuUsage()
const { faults, missing } = await readModel(files, entry)
const spent = process.cpuUsage(start)
const outcome: ReadOutcome = {
  complaints: [
    ...faults.map(({ kind, message }) => `${kind}: ${message}`.slice(0, 500)),
    ...missing.map(({ kind, path }) => `missing ${kind}: ${path}`),
  ],
  outside,
  ms: (spent.user + spent.system) / 1000,
  megabytes: peak() - before,
}
process.send?.(outcome)
