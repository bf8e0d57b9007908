/** What a run needs to be understood and repeated later: command, code, packages, machine. */
import { readFile } from 'node:fs/promises'
import { arch, cpus, hostname, platform, release, totalmem } from 'node:os'
import { nullIfMissing } from '@hub/runner/worker/growing-file'
import { writeDurably } from '@hub/runner/worker/journal'
import { gpuReader } from '../system/gpu-readings.ts'
import { gitState } from './git-state.ts'
import { maskedCommand } from './masked-command.ts'
import { pythonState } from './python-packages.ts'

export interface EnvironmentOf {
  readonly argv: readonly string[]
  readonly cwd: string
  readonly env: Readonly<Record<string, string | undefined>>
}

/** Reads it all. What cannot be read is null. */
async function readEnvironment({ argv, cwd, env }: EnvironmentOf): Promise<Record<string, unknown>> {
  const [command, git, python, gpus] = await Promise.all([
    maskedCommand(argv),
    gitState(cwd, env),
    pythonState(argv, cwd, env),
    gpuReader(env)(),
  ])
  const [processor] = cpus()
  return {
    command,
    cwd,
    host: hostname(),
    system: `${platform()} ${release()} ${arch()}`,
    processor: processor?.model.trim() ?? null,
    processors: cpus().length,
    memory_gb: Number((totalmem() / 1e9).toFixed(1)),
    gpus: gpus.map(({ name }) => name),
    git,
    python,
  }
}

/** Keeps what was read, once for a run: of what a later command needs, the first one tells most. */
export async function keepEnvironment(file: string, given: EnvironmentOf): Promise<void> {
  if ((await environmentIn(file)) !== null) return
  writeDurably(file, JSON.stringify(await readEnvironment(given)))
}

/** What was kept; null while nothing is. */
export const environmentIn = (file: string): Promise<string | null> => readFile(file, 'utf8').catch(nullIfMissing)
