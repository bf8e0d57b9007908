/** `hub card`: the card of a robot: read, check, store, and draft from its model. */
import { readFile, writeFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import { type HubClient, LocalError } from '@hub/client/internal'
import { isJsonObject, parseExact, writeExact } from '@hub/formats/exact-json'
import { checkModel } from '@hub/mjcf/folder/check-model'
import { marks } from '@hub/mjcf/folder/model-text'
import { openReadingPool } from '@hub/mjcf/processes/reading-pool'
import { programOf } from '@hub/runner/worker/own-program'
import type { Command } from 'commander'
import { type ClientIo, exitCode } from './client-output.ts'
import { type CommandResult, type CommonOptions, common, repoName, runCommand, type Work } from './client-session.ts'
import { draftCard } from './draft-card.ts'
import { hubExamples } from './output.ts'
import { silentLog } from './silent-log.ts'
import { inLine } from './terminal.ts'

const initHelp = `
Reads the model as the hub does, without MuJoCo, and drafts what follows from it: joints, actuators, masses as far as the file has them. What no
model file states (control rate, meaning of actions) is left to you, or to a robot check: hub check.
${hubExamples('card init robots/arm scene.xml', 'card init robots/arm scene.xml -o card.json')}`

/** Adds it to the `hub` program. */
export function registerCardCommands(program: Command, io: ClientIo): void {
  const start = (options: CommonOptions, work: Work) =>
    runCommand(io, { ...options, json: options.json ?? program.opts<CommonOptions>().json }, work)
  const card = program.command('card').description('Draft, check, store and read robot cards')
  common(card.command('init <dir> <entry>').description('Draft a card from a local model'), io)
    .option('-o, --output <file>', 'write it to this file (default: standard output)')
    .addHelpText('after', initHelp)
    .action((dir: string, entry: string, { output, ...options }: CommonOptions & { readonly output?: string }) =>
      start(options, (client) => init(io, client, { dir, entry, output })),
    )
  common(card.command('get <repo>').description('Print the card of a robot repo as JSON'), io)
    .addHelpText('after', hubExamples('card get ada/arm', 'card get ada/arm > card.json'))
    .action((repo: string, options: CommonOptions) =>
      start(options, async (client) => {
        const found = await client.robotCard(repoName(repo))
        return { json: found, text: `${pretty(found)}\n` }
      }),
    )
  common(card.command('put <repo> <file>').description('Store a card (JSON; - reads standard input)'), io)
    .addHelpText('after', hubExamples('card put ada/arm card.json', 'card get ada/arm | hub card put ada/copy -'))
    .action((repo: string, file: string, options: CommonOptions) =>
      start(options, async (client) => {
        const stored = await client.putRobotCard(repoName(repo), await cardIn(io, file))
        return { json: stored, text: `${inLine(`The card of ${repo} is stored.`)}\n` }
      }),
    )
  common(
    card.command('validate <repo> [file]').description('Check a card against the files of its repo, and store nothing'),
    io,
  )
    .addHelpText(
      'after',
      `\nWithout a file it checks the stored card. It exits with 6 if a check fails.\n${hubExamples('card validate ada/arm', 'card validate ada/arm card.json --json')}`,
    )
    .action((repo: string, file: string | undefined, options: CommonOptions) =>
      start(options, async (client) =>
        validated(await client.validateRobotCard(repoName(repo), file === undefined ? null : await cardIn(io, file))),
      ),
    )
}

async function init(
  io: ClientIo,
  { signal }: HubClient,
  { dir, entry, output }: { dir: string; entry: string; output: string | undefined },
): Promise<CommandResult> {
  const pool = openReadingPool({ log: silentLog, programOf, processes: 1 })
  try {
    const { report, reading } = await checkModel(pool, { dir, entry, cwd: io.cwd }, signal)
    const failed = report.checks.find(({ status }) => status === 'fail')
    if (failed)
      throw new LocalError(
        `${entry} has faults, so no card is drafted: ${failed.message} See them all: hub model ${dir} ${entry}`,
      )
    const draft = draftCard(reading, entry)
    if (output === undefined) return { json: draft, text: `${pretty(draft)}\n` }
    await writeFile(resolve(io.cwd, output), `${pretty(draft)}\n`, { flag: 'wx' }).catch(
      (error: NodeJS.ErrnoException) => {
        throw new LocalError(
          error.code === 'EEXIST' ? `${output} exists already.` : `The card cannot be written: ${error.message}`,
        )
      },
    )
    return {
      json: draft,
      text: `${inLine(`drafted ${output}: complete it, then hub card validate and hub card put`)}\n`,
    }
  } finally {
    await pool.close()
  }
}

/** Indented, with each number as it was written. */
const pretty = (value: object) => writeExact(value, 2)

async function cardIn(io: ClientIo, file: string): Promise<Record<string, unknown>> {
  const text = await readFile(file === '-' ? '/dev/stdin' : resolve(io.cwd, file), 'utf8').catch((error: Error) => {
    throw new LocalError(`The card cannot be read: ${error.message}`)
  })
  try {
    const card = parseExact(text)
    if (isJsonObject(card)) return card
  } catch {
    // Reported below.
  }
  throw new LocalError(`${file} is not a card: it must be one JSON object.`)
}

function validated(report: Awaited<ReturnType<HubClient['validateRobotCard']>>): CommandResult {
  const rows = report.checks.flatMap(({ code, status, message, hint }) => [
    `${marks[status as keyof typeof marks].sign} ${code}: ${message}`,
    ...(hint && status !== 'pass' ? [`    → ${hint}`] : []),
  ])
  const lines = [...rows, `${report.ok ? 'The card can be stored' : 'The card cannot be stored'}: ${report.grade}`]
  return {
    json: report,
    text: lines.map((row) => `${inLine(row)}\n`).join(''),
    code: report.ok ? exitCode.ok : exitCode.blocked,
  }
}
