/** The run result that follows from how the command exited. */
import { stripVTControlCharacters } from 'node:util'
import { exitCodeIn } from './command.ts'
import type { RunFiles } from './run-files.ts'
import { readFrom, sizeOf } from './worker/growing-file.ts'

export interface RunResult {
  readonly status: 'succeeded' | 'failed' | 'canceled'
  readonly error: string | null
}

/** From the exit code; a failure includes the command's last output line, which usually names the cause. */
export async function resultOf(files: Pick<RunFiles, 'exitCode' | 'output'>): Promise<RunResult> {
  const code = await exitCodeIn(files.exitCode)
  if (code === 0) return { status: 'succeeded', error: null }
  const what = code === null ? 'The command was killed' : `The command ended with exit code ${code}`
  const last = await lastLine(files.output)
  return { status: 'failed', error: last === '' ? `${what}.` : `${what}: ${last}` }
}

/** The last non-blank line of a file, at most 500 characters, for a message. */
export async function lastLine(file: string): Promise<string> {
  const size = await sizeOf(file)
  const bytes = await readFrom(file, Math.max(0, size - 4096), 4096)
  // The bytes may start in the middle of a character.
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

/** Without colors and other control characters. */
const plain = (line: string) =>
  stripVTControlCharacters(line)
    .replace(/\p{Cc}+/gu, ' ')
    .trim()
