/** Shared by the commands that serve jobs: credential, client, signals, progress lines and exit codes. */
import { access, constants, mkdir } from 'node:fs/promises'
import { homedir } from 'node:os'
import { join, resolve } from 'node:path'
import { createHubClient, type HubClient, LocalError } from '@hub/client/internal'
import { credentialName } from '@hub/runner/worker/claim-file'
import { type ClientIo, exitCode, exitCodeOf } from './client-output.ts'
import { type CommonOptions, withLogin } from './client-session.ts'
import { type ClientSettings, clientSettings } from './client-settings.ts'
import { NotLoggedIn } from './command-errors.ts'
import { interrupted, reportError } from './report-error.ts'
import { toldRetry } from './retry-notice.ts'
import { inLine, print, printJson } from './terminal.ts'

export interface WorkerOptions extends CommonOptions {
  readonly once?: boolean
  readonly name: string
  readonly workDir?: string
}

/** What a worker is given. */
export interface WorkerSession {
  /** Retries for as long as the worker lives. */
  readonly client: HubClient
  readonly token: string
  /** The credential, by a name that does not reveal it. */
  readonly credential: string
  readonly cacheDir: string
  readonly workDir: string
  readonly job: string | null
  readonly stop: AbortSignal
  readonly gaveUp: AbortSignal
  readonly logLine: (line: string) => void
}

interface WorkerOutcome {
  readonly status: string
  readonly error: string | null
}

export interface WorkerWords<Outcome> {
  /** `runner`: in sentences. */
  readonly what: string
  /** The kind in HUB_JOB_KIND: a hosted process serves the one job that the hub started it for. */
  readonly jobKind: string
  /** The folder under `~/.local/state/hub`. */
  readonly folder: string
  /** The option that names another folder. */
  readonly workOption: '--work' | '--work-dir'
  /** What has to hold before the hub is asked or anything is made; rejects where it does not. */
  readonly before?: () => Promise<void>
  /** The scope that its key needs. */
  readonly scope: string
  /** The first line, before the URL. */
  readonly doing: string
  /** How long the end of a job may take after a stop. */
  readonly graceMs: number
  readonly idOf: (outcome: Outcome) => string
  /**
   * Whether the last outcome (null: none) is the success of a worker that serves one job; that it `succeeded`, unless
   * given.
   */
  readonly isGood?: (last: Outcome | null) => boolean
}

/**
 * Runs a worker until it is stopped, and sets the exit code: with `once` or a hosted job, whether the job succeeded.
 */
export async function runWorker<Outcome extends WorkerOutcome>(
  io: ClientIo,
  options: WorkerOptions,
  words: WorkerWords<Outcome>,
  work: (session: WorkerSession & { readonly ended: (outcome: Outcome) => void }) => Promise<void>,
): Promise<void> {
  const stop = new AbortController()
  const gaveUp = new AbortController()
  const removeListener = io.onInterrupt(() => {
    stop.abort(new Error(`The ${words.what} was stopped.`))
    // The final report needs a reachable hub. If it never arrives, the worker sends it when it is started again.
    setTimeout(() => gaveUp.abort(new Error('interrupted')), words.graceMs + 10_000).unref()
  })
  const logLine = (line: string) => print(io.stderr, `${new Date().toISOString().slice(11, 19)} ${inLine(line)}\n`)
  const job = hostedJob(io, words.jobKind)
  let last: Outcome | null = null
  let settings: ClientSettings | null = null
  try {
    settings = await clientSettings(io, options)
    const { url, token, cacheDir } = settings
    if (token === null) throw new NotLoggedIn(url)
    await words.before?.()
    // A wrong URL or key fails now; later, the worker keeps retrying an unreachable hub.
    await createHubClient({ url, token, retry: toldRetry(io.stderr), signal: stop.signal }).me()
    const workDir = workDirOf(io, options, words.folder)
    await makeWorkFolder(workDir, words.workOption)
    const retry = { attempts: Number.POSITIVE_INFINITY, baseMs: 250, maxMs: 5000, random: Math.random }
    const client = createHubClient({ url, token, retry, signal: gaveUp.signal })
    logLine(`${options.name} ${job === null ? words.doing : `executes ${job}`} at ${url}`)
    await work({
      client,
      token,
      credential: credentialName(token),
      cacheDir,
      workDir,
      job,
      stop: stop.signal,
      gaveUp: gaveUp.signal,
      logLine,
      ended(outcome) {
        last = outcome
        logLine(`${words.idOf(outcome)}: ${outcome.status}${outcome.error ? `: ${outcome.error}` : ''}`)
        if (options.json) printJson(io.stdout, outcome)
      },
    })
    const isOnce = options.once || job !== null
    const { isGood = (outcome) => outcome?.status === 'succeeded' } = words
    io.exit(isOnce && !isGood(last) ? exitCode.failed : exitCode.ok)
  } catch (error) {
    if (gaveUp.signal.aborted) {
      const detail = `the final report did not reach the hub; start the ${words.what} again with the same work folder to send it.`
      reportError(io, interrupted(detail), options.json ?? false)
      return io.exit(exitCode.interrupted)
    }
    const shown = settings === null ? error : withLogin(error, settings)
    reportError(io, shown, options.json ?? false)
    io.exit(exitCodeOf(shown))
  } finally {
    removeListener()
  }
}

/** The job that the hub started this process for; null for a worker that takes any. */
function hostedJob({ env }: ClientIo, kind: string): string | null {
  return env.HUB_JOB_KIND === kind && env.HUB_JOB_ID ? env.HUB_JOB_ID : null
}

function workDirOf({ env, cwd }: ClientIo, { workDir }: WorkerOptions, folder: string): string {
  if (workDir !== undefined) return resolve(cwd, workDir)
  return join(env.XDG_STATE_HOME || join(env.HOME || homedir(), '.local', 'state'), 'hub', folder)
}

/** Made before a job is claimed: one that cannot be written would fail each of them. */
async function makeWorkFolder(workDir: string, option: string): Promise<void> {
  try {
    await mkdir(workDir, { recursive: true, mode: 0o700 })
    await access(workDir, constants.R_OK | constants.W_OK | constants.X_OK)
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    throw new LocalError(
      `${option}: ${workDir} cannot be made or written (${code}); name a folder that this user may write.`,
    )
  }
}
