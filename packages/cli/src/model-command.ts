/** `hub model`: checks a local model offline, as the hub would after a push. */
import { resolve } from 'node:path'
import { checkModel, type ModelPlace, type ModelReport, unreadableReport } from '@hub/mjcf/folder/check-model'
import { FolderError } from '@hub/mjcf/folder/local-files'
import { modelText, paintFor } from '@hub/mjcf/folder/model-text'
import { modelsIn } from '@hub/mjcf/folder/models-in'
import { openReadingPool, type ReadingPool } from '@hub/mjcf/processes/reading-pool'
import { programOf } from '@hub/runner/worker/own-program'
import type { Command } from 'commander'
import { type ClientIo, exitCode } from './client-output.ts'
import { UsageError } from './command-errors.ts'
import { answerLines } from './model-lines.ts'
import { reportError } from './report-error.ts'
import { silentLog } from './silent-log.ts'
import { print, printColored, printJson, printOver } from './terminal.ts'

/** The process as the command sees it. */
export interface ModelIo extends Omit<ClientIo, 'env'> {
  readonly stdin: NodeJS.ReadableStream
}

interface ModelOptions {
  readonly json?: boolean
  readonly stdin?: boolean
}

const help = `
Checks a model offline, as the hub does after a push: includes, defaults, frames, replicate, attach and
assets are resolved as in MuJoCo. ENTRY is relative to DIR; nothing outside DIR is ever read.

docs/models.md describes the checks.

Exit codes:
  0    no check failed
  1    a check failed, or a file could not be read
  2    wrong usage

Examples:
  $ hub model robots/arm scene.xml
  $ hub model robots/arm arm.urdf --json | jq '.checks[] | select(.status == "fail")'

Many models, one JSON line in and one out, in order:
  $ find robots -name scene.xml -printf '{"dir":"%h","entry":"%f"}\\n' | hub model --stdin`

/** Adds it to the `hub` program. */
export function registerModelCommand(program: Command, io: ModelIo): void {
  program
    .command('model')
    .argument('[dir]', 'folder to check')
    .argument('[entry]', 'MJCF or URDF file of the model')
    .description('Check a local robot model: model, base, joints, keyframes, files and every static check')
    .option('--json', 'one JSON object on standard output')
    .option('--stdin', 'read one {"dir": …, "entry": …} per line from standard input; print one JSON line for each')
    .addHelpText('after', help)
    .exitOverride((error) => {
      io.exit(error.exitCode === 0 ? exitCode.ok : exitCode.usage)
      throw error
    })
    .action((dir: string | undefined, entry: string | undefined, options: ModelOptions) =>
      run(io, dir, entry, { ...options, json: options.json ?? program.opts<ModelOptions>().json }),
    )
}

async function run(io: ModelIo, dir: string | undefined, entry: string | undefined, options: ModelOptions) {
  const interrupt = new AbortController()
  const removeListener = io.onInterrupt(() => interrupt.abort(new Error('interrupted')))
  // A single model needs a single process.
  const pool = openReadingPool({ log: silentLog, programOf, processes: options.stdin ? undefined : 1 })
  try {
    const good = await work({ io, pool, dir, entry, options, signal: interrupt.signal })
    io.exit(good ? exitCode.ok : exitCode.failed)
  } catch (error) {
    if (interrupt.signal.aborted) return io.exit(exitCode.interrupted)
    reportError(io, error, options.json ?? false)
    io.exit(error instanceof UsageError ? exitCode.usage : exitCode.failed)
  } finally {
    removeListener()
    await pool.close()
  }
}

/** Returns whether all checks passed. */
async function work({
  io,
  pool,
  dir,
  entry,
  options,
  signal,
}: {
  readonly io: ModelIo
  readonly pool: ReadingPool
  readonly dir: string | undefined
  readonly entry: string | undefined
  readonly options: ModelOptions
  readonly signal: AbortSignal
}): Promise<boolean> {
  if (options.stdin) {
    if (dir !== undefined)
      throw new UsageError('With --stdin, pass the models on standard input only, not as arguments.')
    const answers = answerLines(io.stdin, (given) => reportOf(pool, { ...given, cwd: io.cwd }, signal))
    return writeLines(io, answers)
  }
  if (dir === undefined) throw new UsageError('Name a folder and the model in it: hub model DIR ENTRY (or --help).')
  if (entry === undefined) throw new UsageError(await entryMissing(dir, io.cwd))
  const status = statusLine(io, `reading ${entry} …`)
  const model = await checkModel(pool, { dir, entry, cwd: io.cwd }, signal).finally(status.end)
  if (!options.json) printColored(io.stdout, modelText(model, paintFor(io.stdout)))
  else {
    printJson(io.stdout, model.report)
    for (const note of model.notes) print(io.stderr, `hub: ${note}\n`)
  }
  return allPassed(model.report)
}

const allPassed = ({ checks }: ModelReport) => checks.every(({ status }) => status !== 'fail')

/** An unreadable folder or file becomes the report of its line; later lines are still processed. */
async function reportOf(pool: ReadingPool, place: ModelPlace, signal: AbortSignal): Promise<ModelReport> {
  try {
    return (await checkModel(pool, place, signal)).report
  } catch (error) {
    if (error instanceof FolderError) return unreadableReport(error.message)
    throw error
  }
}

async function writeLines(io: ModelIo, answers: AsyncIterable<ModelReport>): Promise<boolean> {
  let done = 0
  let failed = 0
  const status = statusLine(io, () => `${done} checked, ${failed} failed`)
  try {
    for await (const report of answers) {
      printJson(io.stdout, report)
      done += 1
      if (!allPassed(report)) failed += 1
    }
  } finally {
    status.end()
  }
  return failed === 0
}

const STATUS_DELAY_MS = 1_000

/** On a terminal, shows a temporary status line after one second. */
function statusLine(io: ModelIo, text: string | (() => string)): { readonly end: () => void } {
  if (!io.stderr.isTTY) return { end: () => undefined }
  let shown = false
  const timer = setInterval(() => {
    shown = true
    printOver(io.stderr, typeof text === 'string' ? text : text())
  }, STATUS_DELAY_MS)
  return {
    end() {
      clearInterval(timer)
      if (shown) printOver(io.stderr, '')
    },
  }
}

async function entryMissing(dir: string, cwd: string): Promise<string> {
  const models = await modelsIn(resolve(cwd, dir))
  if (models === null) return `${dir} is not a folder.`
  const which =
    models.length > 0
      ? ` It contains ${models
          .slice(0, 8)
          .map(({ name }) => name)
          .join(', ')}.`
      : ''
  return `Name the model file in ${dir} too: hub model ${dir} ${models[0]?.name ?? 'ENTRY'}.${which}`
}
