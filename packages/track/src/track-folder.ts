/** The local folder of a tracked run. The command writes in `run/`; everything else is ours. */
import { join } from 'node:path'

export type TrackFiles = ReturnType<typeof trackFiles>

/** Paths below the folder of one tracked run. */
export function trackFiles(root: string) {
  const dir = join(root, 'run')
  const spool = join(root, 'spool')
  return {
    root,
    dir,
    journal: join(root, 'journal.json'),
    lock: join(root, 'lock'),
    /** What the command prints. */
    output: join(root, 'output.log'),
    /** Command, code, packages and machine. */
    environment: join(root, 'environment.json'),
    /** Every line of metrics, from every source, in the order in which it was found. */
    spool,
    /** Settings that TensorBoard was told, and the config with them. */
    hparams: join(root, 'hparams.json'),
    merged: join(root, 'config.yaml'),
    /** The reporter's name for it. */
    metrics: spool,
    /** Where the command itself reports (`HUB_RUN_DIR`). */
    reported: join(dir, 'metrics.jsonl'),
    /** Pictures, sound, tables and the like, with their files below `media/`. */
    media: join(dir, 'media.jsonl'),
    /** Versions of artifacts, with their folders below `artifacts/`. */
    artifacts: join(dir, 'artifacts.jsonl'),
    config: join(dir, 'config.yaml'),
    scorecard: join(dir, 'scorecard.json'),
    /** Name, project, tags and the like, as a script says them to wandb. */
    words: join(dir, 'wandb.json'),
    summary: join(dir, 'summary.json'),
    checkpoints: join(dir, 'checkpoints'),
  }
}

/** Paths of the nth command of the run: a run that is resumed may have several. */
export function commandFiles({ root }: Pick<TrackFiles, 'root'>, nth: number) {
  return {
    pid: join(root, `pid-${nth}`),
    exitCode: join(root, `exit-code-${nth}`),
    /** The pipe from its terminal. */
    terminal: join(root, `terminal-${nth}`),
  }
}
