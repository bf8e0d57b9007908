/** The Python of this machine, for tests of the Python client; they are skipped where there is none of 3.9 or later. */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { join } from 'node:path'

const root = join(import.meta.dirname, '../..')
export const pythonClientDir = join(root, 'clients/python')

const isNew = 'import sys; sys.exit(sys.version_info < (3, 9))'
/** Why its tests are skipped; null where there is one. */
export const noPython =
  spawnSync('python3', ['-c', isNew], { stdio: 'ignore' }).status === 0 ? null : 'there is no Python 3.9 or later'

export interface PythonEnded {
  /** Null after a signal. */
  readonly code: number | null
  readonly out: string
  readonly err: string
}

interface Surroundings {
  readonly cwd: string
  /** Besides `PATH` and where the client is. */
  readonly env: Readonly<Record<string, string>>
}

/** Starts Python with these arguments; the client can be imported. */
export function startPython(args: readonly string[], { cwd, env }: Surroundings) {
  const given = { PATH: process.env.PATH ?? '', HOME: cwd, PYTHONPATH: join(pythonClientDir, 'src'), ...env }
  const child: ChildProcess = spawn('python3', args, { cwd, env: given, stdio: ['ignore', 'pipe', 'pipe'] })
  const written = { out: '', err: '' }
  child.stdout?.setEncoding('utf8').on('data', (text: string) => {
    written.out += text
  })
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    written.err += text
  })
  const ended = new Promise<PythonEnded>((resolve, reject) => {
    child.once('error', reject).once('close', (code) => resolve({ code, ...written }))
  })
  return { child, ended }
}

/** As `startPython`, until it has ended. */
export const runPython = (args: readonly string[], around: Surroundings): Promise<PythonEnded> =>
  startPython(args, around).ended
