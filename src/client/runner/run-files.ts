/** The folder of a run on the runner's machine, and reading files in it that grow. */
import { open, readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'

export type RunFiles = ReturnType<typeof runFiles>

/** Where everything of one attempt lies. What the command writes is in `dir`, what the runner keeps of it beside that. */
export function runFiles(workDir: string, runId: string, attempt: number) {
  const root = join(workDir, runId, `attempt-${attempt}`)
  const dir = join(root, 'run')
  return {
    root,
    dir,
    journal: join(root, 'journal.json'),
    lock: join(root, 'lock'),
    output: join(root, 'output.log'),
    exitCode: join(root, 'exit-code'),
    input: join(root, 'recipe.json'),
    metrics: join(dir, 'metrics.jsonl'),
    config: join(dir, 'config.yaml'),
    scorecard: join(dir, 'scorecard.json'),
    checkpoints: join(dir, 'checkpoints'),
    gate: (step: number) => gateFiles(join(root, 'gates', `step_${step}`)),
  }
}

export type GateFiles = ReturnType<typeof gateFiles>

/** Where the battery of one checkpoint works, and what it writes. */
function gateFiles(root: string) {
  const dir = join(root, 'run')
  return {
    root,
    dir,
    output: join(root, 'output.log'),
    exitCode: join(root, 'exit-code'),
    results: join(dir, 'results.json'),
  }
}

/** At most `length` bytes from `from` on; none where there is no such file. */
export async function readFrom(file: string, from: number, length: number): Promise<Uint8Array> {
  const handle = await open(file, 'r').catch(absent)
  if (handle === null) return new Uint8Array()
  try {
    const bytes = Buffer.alloc(length)
    let filled = 0
    while (filled < length) {
      const { bytesRead } = await handle.read(bytes, filled, length - filled, from + filled)
      if (bytesRead === 0) break
      filled += bytesRead
    }
    return bytes.subarray(0, filled)
  } finally {
    await handle.close()
  }
}

/** The text of a file, or null where there is none. */
export async function textOf(file: string): Promise<string | null> {
  return readFile(file, 'utf8').catch(absent)
}

/** Its bytes; 0 where there is no file. */
export async function sizeOf(file: string): Promise<number> {
  return (await stat(file).catch(absent))?.size ?? 0
}

/** What tells one state of a file from another; null where there is none. */
export async function stampOf(file: string): Promise<string | null> {
  const found = await stat(file, { bigint: true }).catch(absent)
  return found && `${found.size} ${found.mtimeNs}`
}

/** For files that need not be there. */
export function absent(error: NodeJS.ErrnoException): null {
  if (error.code === 'ENOENT' || error.code === 'ENOTDIR') return null
  throw error
}
