/** The Python of a command, and its packages, without running any code of the person's. */
import { execFile } from 'node:child_process'
import { open } from 'node:fs/promises'
import { basename } from 'node:path'
import { promisify } from 'node:util'
import { programAt } from '../launch.ts'

type Env = Readonly<Record<string, string | undefined>>

const run = promisify(execFile)
const TIMEOUT_MS = 20_000
const MAX_BYTES = 1024 * 1024
const MAX_PACKAGES = 500

export interface PythonState {
  readonly executable: string
  readonly version: string
  /** Versions by name, in the order of their names. */
  readonly packages: Readonly<Record<string, string>>
  /** More than are kept. */
  readonly left_out: number
}

/** `-I` runs neither code of the working folder nor of PYTHONPATH; the metadata of packages is only read. */
const script = `
import json, platform, sys
from importlib.metadata import distributions
found = {}
for one in distributions():
    name = one.metadata["Name"]
    if name: found.setdefault(name.lower(), one.version or "")
print(json.dumps({"executable": sys.executable, "version": platform.python_version(), "packages": found}))
`

/** Null for a command that is none of Python, or whose Python does not answer. */
export async function pythonState(argv: readonly string[], cwd: string, env: Env): Promise<PythonState | null> {
  const interpreter = await interpreterOf(argv, cwd, env)
  if (interpreter === null) return null
  try {
    const options = { timeout: TIMEOUT_MS, maxBuffer: MAX_BYTES, cwd, env: { ...env } }
    const { stdout } = await run(interpreter, ['-I', '-c', script], options)
    const { packages, ...rest } = JSON.parse(stdout) as Omit<PythonState, 'left_out'>
    const sorted = Object.entries(packages).sort(([a], [b]) => (a < b ? -1 : 1))
    const kept = sorted.slice(0, MAX_PACKAGES)
    return { ...rest, packages: Object.fromEntries(kept), left_out: sorted.length - kept.length }
  } catch {
    return null
  }
}

/** The command itself, that of a script's first line, or that of an environment that is active. */
async function interpreterOf([name = '', ...args]: readonly string[], cwd: string, env: Env): Promise<string | null> {
  const program = programAt(name, env, cwd)
  if (program === null) return null
  if (/^python[\d.]*$/.test(basename(name))) return program
  const [, line = ''] = /^#!\s*(\S.*)/.exec(await firstLine(program)) ?? []
  const [interpreter = '', first] = line.trim().split(/\s+/)
  const word = basename(interpreter) === 'env' ? (first ?? '') : interpreter
  if (/^python[\d.]*$/.test(basename(word))) return programAt(word, env, cwd)
  const inner = args.find((arg) => /^python[\d.]*$/.test(basename(arg)))
  if (inner !== undefined) return programAt(inner, env, cwd)
  return env.VIRTUAL_ENV || env.CONDA_PREFIX ? programAt('python', env, cwd) : null
}

async function firstLine(file: string): Promise<string> {
  const handle = await open(file, 'r')
  try {
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(256), 0, 256, 0)
    return buffer.toString('latin1', 0, bytesRead).split('\n')[0] ?? ''
  } finally {
    await handle.close()
  }
}
