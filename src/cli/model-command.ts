/** `hub model`: what the hub would say of a model of this machine, without one. */
import { readdir } from 'node:fs/promises'
import { resolve } from 'node:path'
import type { Command } from 'commander'
import pino from 'pino'
import { LocalError } from '../client/index.ts'
import { openReadingPool, type ReadingPool } from '../models/reader/reading-pool.ts'
import { checkModel, type ModelPlace, type ModelReport, unreadableReport } from './check-model.ts'
import { type ClientIo, exitCode } from './client-output.ts'
import { answerLines } from './model-lines.ts'
import { modelText, paintFor } from './model-output.ts'
import { processIo } from './process-io.ts'
import { print, printColored, printJson, printOver } from './terminal.ts'

/** What the command touches of its process; tests give their own. */
export interface ModelIo extends Omit<ClientIo, 'env'> {
  readonly stdin: NodeJS.ReadableStream
}

interface ModelOptions {
  readonly json?: boolean
  readonly stdin?: boolean
}

const help = `
It reads what the hub reads after a push, offline: includes, defaults, frames, replicate, attach and
assets as MuJoCo resolves them. ENTRY is relative to DIR; nothing outside DIR is ever read.

Examples:
  $ hub model robots/arm scene.xml
  $ hub model robots/arm arm.urdf --json | jq '.checks[] | select(.status == "fail")'

A fleet, one JSON line in and one out, in order:
  $ find robots -name scene.xml -printf '{"dir":"%h","entry":"%f"}\\n' | hub model --stdin

What is checked, refused, warned of and skipped: docs/models.md.

Exit codes:
  0    every check passed, or warned, or was skipped
  1    a check failed, or a file could not be read
  2    wrong usage`

/** Adds it to the `hub` program. */
export function registerModelCommand(program: Command, io: ModelIo = processIo): void {
  program
    .command('model')
    .argument('[dir]', 'the folder that would be pushed')
    .argument('[entry]', 'the model in it: an MJCF or URDF file')
    .description('Check a robot model of this machine: model, base, joints, keyframes, files and every static check')
    .option('--json', 'one JSON object on standard output')
    .option('--stdin', 'read {"dir": …, "entry": …} a line from standard input, answer one JSON line for each')
    .addHelpText('after', help)
    .exitOverride((error) => {
      io.exit(error.exitCode === 0 ? exitCode.ok : exitCode.usage)
      throw error
    })
    .action((dir: string | undefined, entry: string | undefined, options: ModelOptions) =>
      run(io, dir, entry, { ...options, json: options.json ?? program.opts<ModelOptions>().json }),
    )
}

class UsageError extends Error {}

async function run(io: ModelIo, dir: string | undefined, entry: string | undefined, options: ModelOptions) {
  const interrupt = new AbortController()
  const off = io.onInterrupt(() => interrupt.abort(new Error('interrupted')))
  // One model needs one process.
  const pool = openReadingPool({ log: pino({ level: 'silent' }), processes: options.stdin ? undefined : 1 })
  try {
    const good = await work(io, pool, dir, entry, options, interrupt.signal)
    io.exit(good ? exitCode.ok : exitCode.failed)
  } catch (error) {
    if (interrupt.signal.aborted) return io.exit(exitCode.interrupted)
    print(io.stderr, `hub: ${error instanceof Error ? error.message : String(error)}\n`)
    io.exit(error instanceof UsageError ? exitCode.usage : exitCode.failed)
  } finally {
    off()
    await pool.close()
  }
}

/** Answers whether nothing failed. */
async function work(
  io: ModelIo,
  pool: ReadingPool,
  dir: string | undefined,
  entry: string | undefined,
  options: ModelOptions,
  signal: AbortSignal,
): Promise<boolean> {
  if (options.stdin) {
    if (dir !== undefined) throw new UsageError('With --stdin the models are named on standard input alone.')
    const answers = answerLines(io.stdin, (given) => reportOf(pool, { ...given, cwd: io.cwd }, signal))
    return writeLines(io, answers)
  }
  if (dir === undefined) throw new UsageError('Name a folder and the model in it: hub model DIR ENTRY (or --help).')
  if (entry === undefined) throw new UsageError(await entryMissing(dir, io.cwd))
  const waiting = notice(io, `reading ${entry} …`)
  const model = await checkModel(pool, { dir, entry, cwd: io.cwd }, signal).finally(waiting.end)
  if (!options.json) printColored(io.stdout, modelText(model, paintFor(io.stdout)))
  else {
    printJson(io.stdout, model.report)
    for (const note of model.notes) print(io.stderr, `hub: ${note}\n`)
  }
  return isGood(model.report)
}

const isGood = ({ checks }: ModelReport) => checks.every(({ status }) => status !== 'fail')

/** A folder or file that cannot be read is the answer of its line; the lines after it are answered too. */
async function reportOf(pool: ReadingPool, place: ModelPlace, signal: AbortSignal): Promise<ModelReport> {
  try {
    return (await checkModel(pool, place, signal)).report
  } catch (error) {
    if (error instanceof LocalError) return unreadableReport(error.message)
    throw error
  }
}

async function writeLines(io: ModelIo, answers: AsyncIterable<ModelReport>): Promise<boolean> {
  let done = 0
  let failed = 0
  const waiting = notice(io, () => `${done} checked, ${failed} failed`)
  try {
    for await (const report of answers) {
      printJson(io.stdout, report)
      done += 1
      if (!isGood(report)) failed += 1
    }
  } finally {
    waiting.end()
  }
  return failed === 0
}

const NOTICE_AFTER_MS = 1_000

/** Says on a terminal what is being done, from one second on, in one line that goes away again. */
function notice(io: ModelIo, text: string | (() => string)): { readonly end: () => void } {
  if (!io.stderr.isTTY) return { end: () => undefined }
  let shown = false
  const timer = setInterval(() => {
    shown = true
    printOver(io.stderr, typeof text === 'string' ? text : text())
  }, NOTICE_AFTER_MS)
  return {
    end() {
      clearInterval(timer)
      if (shown) printOver(io.stderr, '')
    },
  }
}

async function entryMissing(dir: string, cwd: string): Promise<string> {
  const names = await readdir(resolve(cwd, dir)).catch(() => null)
  if (names === null) return `${dir} is not a folder.`
  const models = names.filter((name) => /\.(xml|mjcf|urdf)$/i.test(name)).sort()
  const which = models.length > 0 ? ` It holds ${models.slice(0, 8).join(', ')}.` : ''
  return `Name the model file in ${dir} too: hub model ${dir} ${models[0] ?? 'ENTRY'}.${which}`
}
