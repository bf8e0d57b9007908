/** `hub track -- COMMAND`: a new run in a folder of its own. */
import { randomUUID } from 'node:crypto'
import { mkdir } from 'node:fs/promises'
import { basename, extname, join, resolve } from 'node:path'
import { LocalError } from '@hub/client/internal'
import type { StartedRun } from '@hub/client/run-shapes'
import { dropLock, takeLock } from '@hub/runner/worker/lock'
import { eventFolderNow } from './sources/event-folder.ts'
import { metricFileNow } from './sources/metric-file.ts'
import { type Tracking, type TrackOutcome, trackRun } from './track.ts'
import { trackFiles } from './track-folder.ts'
import { newTrackJournal } from './track-journal.ts'

/** What a person says of the run. */
export interface NewTracked {
  /** Folder of all tracked runs of this machine. */
  readonly stateDir: string
  readonly argv: readonly string[]
  readonly cwd: string
  readonly owner?: string
  readonly parent?: string
  readonly robot?: string
  readonly dataset: readonly string[]
  /** `owner/slug` of the repo that takes checkpoints; one of the run's own, unless given. */
  readonly repo?: string
  /** Files of metrics that the command writes. */
  readonly metrics: readonly string[]
  /** Folders of TensorBoard's event files that it writes; none: they are found by watching it; `false`: they are not read. */
  readonly tensorboard: readonly string[] | false
  /** Between lines of `system/` metrics; 0 for none. */
  readonly systemEveryMs: number
  /** Name, project, tags and the like. */
  readonly kept: Partial<StartedRun>
}

/** Starts the command as a run, and tracks it to its end. */
export async function trackNew(tracking: Tracking, given: NewTracked): Promise<TrackOutcome> {
  const files = trackFiles(join(given.stateDir, `${new Date().toISOString().slice(0, 10)}-${randomUUID().slice(0, 8)}`))
  await mkdir(files.root, { recursive: true, mode: 0o700 })
  if (!(await takeLock(files.lock))) throw new LocalError(`${files.root} is in use by another process.`)
  const sources = await Promise.all(given.metrics.map((file) => metricFileNow(resolve(given.cwd, file))))
  const folders = given.tensorboard || []
  const eventFolders = await Promise.all(folders.map((folder) => eventFolderNow(resolve(given.cwd, folder))))
  const recipe = {
    template: templateOf(given.argv),
    dataset: [...given.dataset],
    ...(given.robot === undefined ? {} : { robot: given.robot }),
  }
  const body = {
    recipe,
    ...(given.owner === undefined ? {} : { owner: given.owner }),
    ...(given.parent === undefined ? {} : { parent_run_id: given.parent }),
    ...given.kept,
  }
  const { url } = tracking
  const { cwd, argv, systemEveryMs } = given
  const start = { key: randomUUID(), body }
  const journal = newTrackJournal(files, {
    ...{ url, start, cwd, sources, eventFolders, systemEveryMs },
    watchEvents: given.tensorboard !== false && folders.length === 0,
    outputRepo: given.repo ?? null,
    argv: [...argv],
  })
  try {
    return await trackRun(tracking, files, journal, argv)
  } finally {
    await dropLock(files.lock)
  }
}

const interpreters = new RegExp(
  '^(?:python[\\d.]*|node|uv|poetry|accelerate|torchrun|deepspeed|srun|mpirun|env|bash|sh|npx|bun|deno|ruby|julia|' +
    'Rscript|launch|run)$',
)

/** What trains, in at most 64 characters: the script or module, not what runs it. */
export function templateOf(argv: readonly string[]): string {
  // A script that is one word may have keys in it.
  const isName = (word: string) => !word.startsWith('-') && !/^\w+=|\s/.test(word)
  const words = argv.filter(isName).map((word) => basename(word))
  const word = words.find((one) => !interpreters.test(one)) ?? words[0] ?? 'command'
  const name = /^\.(?:py|js|ts|mjs|sh|jl|R|rb)$/.test(extname(word)) ? word.slice(0, -extname(word).length) : word
  return name.slice(0, 64) || 'command'
}
