/** The local folder of a run, and reads of growing files. */
import { open, readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'

export type RunFiles = ReturnType<typeof runFiles>

/** Paths of one attempt. The command writes in `dir`; the runner's own files are beside it. */
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

/** Paths of the battery of one checkpoint. */
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

/** At most `length` bytes from offset `from`; none if the file is missing. */
export async function readFrom(file: string, from: number, length: number): Promise<Uint8Array> {
  const handle = await open(file, 'r').catch(nullIfMissing)
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

/** The text of a file; null if missing. */
export async function textOf(file: string): Promise<string | null> {
  return readFile(file, 'utf8').catch(nullIfMissing)
}

/** Size in bytes; 0 if missing. */
export async function sizeOf(file: string): Promise<number> {
  return (await stat(file).catch(nullIfMissing))?.size ?? 0
}

/** Changes whenever the file does; null if missing. */
export async function versionOf(file: string): Promise<string | null> {
  const found = await stat(file, { bigint: true }).catch(nullIfMissing)
  return found && `${found.size} ${found.mtimeNs}`
}

/** `catch` handler for optional files. */
export function nullIfMissing(error: NodeJS.ErrnoException): null {
  if (error.code === 'ENOENT' || error.code === 'ENOTDIR') return null
  throw error
}
