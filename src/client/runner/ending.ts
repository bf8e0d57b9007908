/** How a command ended, as the end of its run. */
import { stripVTControlCharacters } from 'node:util'
import { exitCodeIn } from './command.ts'
import { type RunFiles, readFrom, sizeOf } from './run-files.ts'

export interface RunEnding {
  readonly status: 'succeeded' | 'failed' | 'canceled'
  readonly error: string | null
}

/** By its exit code; a failure ends with the last line that the command wrote, which mostly says why. */
export async function endOf(files: RunFiles): Promise<RunEnding> {
  const code = await exitCodeIn(files.exitCode)
  if (code === 0) return { status: 'succeeded', error: null }
  const what = code === null ? 'The command was killed' : `The command ended with exit code ${code}`
  const last = await lastLine(files.output)
  return { status: 'failed', error: last === '' ? `${what}.` : `${what}: ${last}` }
}

/** The last line of a file that says something, for a message. */
export async function lastLine(file: string): Promise<string> {
  const size = await sizeOf(file)
  const bytes = await readFrom(file, Math.max(0, size - 4096), 4096)
  // These bytes may begin in the middle of a character.
  const start = bytes.findIndex((byte) => (byte & 0xc0) !== 0x80)
  const lines = Buffer.from(bytes.subarray(Math.max(0, start)))
    .toString('utf8')
    .split('\n')
    .map(plain)
  return (
    lines
      .findLast((line) => line !== '')
      ?.slice(0, 500)
      .toWellFormed() ?? ''
  )
}

/** Without colors and what else moves a terminal. */
const plain = (line: string) =>
  stripVTControlCharacters(line)
    .replace(/\p{Cc}+/gu, ' ')
    .trim()
