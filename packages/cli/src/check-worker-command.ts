/** `hub check-worker`: claims checks of robots, models and data sets and executes them on this machine. */
import { hostname } from 'node:os'
import type { CheckOutcome } from '@hub/check-worker/serve/serve-check'
import type { findChromium } from '@hub/check-worker/stills/find-chromium'
import { LocalError } from '@hub/client/internal'
import { programOf } from '@hub/runner/worker/own-program'
import { type Command, Option } from 'commander'
import type { ClientIo } from './client-output.ts'
import { type CommonOptions, common } from './client-session.ts'
import { assertInstalled, fromWorker } from './optional-packages.ts'
import { silentLog } from './silent-log.ts'
import { runWorker, type WorkerOptions } from './worker-session.ts'

interface CheckWorkerOptions extends WorkerOptions {
  readonly owner?: string
  readonly only?: 'robots' | 'data-sets' | 'films'
}

const help = `
Claims one check after another, downloads its files, and examines them: MuJoCo compiles and steps a robot in a process
of its own, with bounded time and memory; of a policy only headers and JSON are read. The draft card, the report and
the log go to the hub. Nothing is written to a repo before a person publishes the draft.

The same worker checks data sets: their tables and the frame lists of their videos are read by ranges, nothing is kept
on the disk, and a check whose worker is lost goes to another one after two minutes. --only robots leaves them out,
--only data-sets does nothing else, and needs no MuJoCo. --once without --only takes one check of a robot or a model;
with --only data-sets it takes one of a data set.

With a Chromium it also makes films of episodes (hub data film --on-hub): a browser without a window opens the page of
the episode, and the picture or the video goes to the hub. --only films does nothing else.

The worker removes the folder of a check, with the repo's files, when the check ends. A killed worker goes on when you start
it again with the same key and --work. A cancel stops the check within seconds. Ctrl-C fails the check
of a robot or a model that is in progress; that of a data set goes to another worker after two minutes.

If HUB_JOB_KIND is robot_check, it executes only the check HUB_JOB_ID: this command can be a hub's HOSTED_COMMAND.
HF_ENDPOINT names a mirror of Hugging Face, for policies that are imported. HUB_CHROMIUM is the path of the Chromium that
draws the stills of a robot and decodes pictures of a data set's videos (default: the one in PATH), or off.

It needs the package @mujoco/mujoco (not with --only data-sets or --only films), and playwright-core where there is a
Chromium; the command says how to install them.

Exit codes:
  0    with --once, the check came to a verdict, good or bad; otherwise stopped by Ctrl-C
  1    with --once, the check failed or was canceled; or the hub could not be reached
  2    wrong usage
  3    not allowed (a worker needs a key with the scope write)
  7    not logged in

Examples:
  $ hub check-worker
  $ hub check-worker --once --json
  $ hub check-worker --only data-sets
  $ hub check-worker --owner walnut-robotics --name bench-3 --work /var/lib/hub/checks`

type Chromium = Awaited<ReturnType<typeof findChromium>>

/** Between a stop and the last report: the engine ends at once. */
const GRACE_MS = 5000
const INTERVAL_MS = 1000

/** Adds it to the `hub` program. */
export function registerCheckWorkerCommand(
  program: Command,
  io: ClientIo,
  timing = { intervalMs: INTERVAL_MS, graceMs: GRACE_MS },
): void {
  common(program.command('check-worker').description('Claim checks and execute them on this machine'), io, help)
    .option('--owner <handle>', 'only checks of this account (default: all accounts of the key)')
    .option('--once', 'exit after one check')
    .addOption(
      new Option('--only <what>', 'do nothing else (default: robots, models, data sets and films)').choices([
        'robots',
        'data-sets',
        'films',
      ]),
    )
    .option('--name <name>', 'name of this worker', hostname())
    .option('--work <dir>', 'folder for the files of checks (default: ~/.local/state/hub/checks)')
    .action((options: CheckWorkerOptions & { readonly work?: string }) =>
      run(io, { ...options, workDir: options.work, json: options.json ?? program.opts<CommonOptions>().json }, timing),
    )
}

async function run(
  io: ClientIo,
  options: CheckWorkerOptions,
  { intervalMs, graceMs }: { readonly intervalMs: number; readonly graceMs: number },
): Promise<void> {
  const isForRobots = options.only === undefined || options.only === 'robots'
  const chromium = await foundChromium(io, isForRobots)
  if (options.only === 'films' && 'missing' in chromium)
    throw new LocalError(`Films need a Chromium: ${chromium.missing}`)
  const mirror = mirrorOf(io)
  const words = {
    what: 'check worker',
    jobKind: 'robot_check',
    folder: 'checks',
    workOption: '--work' as const,
    scope: 'write',
    doing: `executes checks${options.owner === undefined ? '' : ` of ${options.owner}`}`,
    graceMs,
    idOf: ({ check }: CheckOutcome) => check,
  }
  await runWorker<CheckOutcome>(io, options, words, async ({ gaveUp, ended, job, ...session }) => {
    const { name, owner = null, once = false } = options
    const { client, stop, logLine } = session
    const isOne = once || job !== null
    const datasets = async (isOnce: boolean) => {
      const { workOnDatasets } = await import('@hub/check-worker/serve/dataset-work')
      await workOnDatasets({ client, stop, logLine, ended, name, owner, once: isOnce, chromium })
    }
    const films = async (isOnce: boolean) => {
      if ('missing' in chromium) {
        logLine(`makes no films of episodes, which need a Chromium: ${chromium.missing}`)
        return
      }
      const { workOnFilms } = await import('@hub/check-worker/serve/film-work')
      const { program } = chromium
      await workOnFilms({ client, stop, logLine, ended, name, owner, once: isOnce, program, token: session.token })
    }
    if (options.only === 'films') return films(once)
    if (!isForRobots) return datasets(once)
    const [{ workOnChecks }, { openReadingPool }] = await Promise.all([
      import('@hub/check-worker/serve/work'),
      import('@hub/mjcf/processes/reading-pool'),
    ])
    const pool = openReadingPool({ log: silentLog, programOf, processes: 1 })
    try {
      const worker = { ...session, pool, intervalMs, mirror, chromium }
      await Promise.all([
        workOnChecks(worker, { name, owner, job, once, gaveUp, ended }),
        ...(isOne || options.only === 'robots' ? [] : [datasets(false), films(false)]),
      ])
    } finally {
      await pool.close()
    }
  })
}

/**
 * The browser that draws stills and decodes pictures. Rejects where one was named that is none, or what drives it or
 * robots need is not installed; a check of a data set without a browser says that it did without.
 */
async function foundChromium(io: ClientIo, isForRobots: boolean): Promise<Chromium> {
  const { findChromium } = await fromWorker('check-worker', () => import('@hub/check-worker/stills/find-chromium'))
  if (isForRobots) assertInstalled('check-worker', '@mujoco/mujoco')
  const chromium = await findChromium(io.env.HUB_CHROMIUM, io.env.PATH)
  const { HUB_CHROMIUM: browser = '' } = io.env
  // Checks do without a browser where there is none, but not where one was named.
  if ('missing' in chromium && !['', 'off'].includes(browser.trim()))
    throw new LocalError(`HUB_CHROMIUM: not an absolute path of a program; set it to one, or to off.`)
  if ('program' in chromium)
    assertInstalled('check-worker', 'playwright-core', 'HUB_CHROMIUM=off does without pictures')
  return chromium
}

function mirrorOf({ env: { HF_ENDPOINT: mirror = '' } }: ClientIo): string | null {
  if (mirror !== '' && !/^https?:$/.test(URL.parse(mirror)?.protocol ?? ''))
    throw new LocalError('HF_ENDPOINT: not an http(s) URL; set it to that of a mirror, or unset it.')
  return mirror || null
}
