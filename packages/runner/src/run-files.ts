/** The local folder of a run. */
import { readFile, rm, rmdir, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { nullIfMissing } from './worker/growing-file.ts'

export type RunFiles = ReturnType<typeof runFiles>

/** Paths of one attempt. The command writes in `dir`; the runner's own files are next to it. */
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

/**
 * Removes the folder of an attempt, and that of its run if no other attempt has one. A process that the command left
 * may still write there for a moment.
 */
export async function removeFolder({ root }: Pick<RunFiles, 'root'>): Promise<void> {
  await rm(root, { recursive: true, force: true, maxRetries: 3 })
  await rmdir(dirname(root)).catch(() => {})
}

/** The text of a file; null if missing. */
export async function textOf(file: string): Promise<string | null> {
  return readFile(file, 'utf8').catch(nullIfMissing)
}

/** Changes whenever the file does; null if missing. */
export async function versionOf(file: string): Promise<string | null> {
  const found = await stat(file, { bigint: true }).catch(nullIfMissing)
  return found && `${found.size} ${found.mtimeNs}`
}
