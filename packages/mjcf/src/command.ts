/** The command `mjcf`: the verdict on a model of a folder. */
import { resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { inLine, linesColored } from '@hub/text/terminal-text'
import { checkModel } from './folder/check-model.ts'
import { modelText, paintFor } from './folder/model-text.ts'
import { modelsIn } from './folder/models-in.ts'
import { openReadingPool } from './processes/reading-pool.ts'

const help = `Usage: mjcf FOLDER [MODEL] [--json]

Says whether MuJoCo would compile a robot model (MJCF or URDF), without running MuJoCo: its joints, its files, and every
fault with file, line and what was probably meant. Nothing outside FOLDER is read. MODEL is the file in FOLDER; it may be
left out where only one of them is not part of another.

Exit codes: 0 no check failed, 1 a check failed or a file could not be read, 2 wrong usage
`

/** What the command needs of its process. */
export interface CommandIo {
  readonly cwd: string
  readonly stdout: { write(text: string): unknown }
  readonly stderr: { write(text: string): unknown }
}

const OK = 0
const FAILED = 1
const USAGE = 2

/** Runs the command and resolves with its exit code. */
export async function runCommand(args: readonly string[], io: CommandIo): Promise<number> {
  const fail = (code: number, message: string) => {
    io.stderr.write(`mjcf: ${inLine(message)}\n`)
    return code
  }
  const given = parsed(args)
  if (typeof given === 'string') return fail(USAGE, given)
  if (given.help) {
    io.stdout.write(help)
    return OK
  }
  const { folder } = given
  if (folder === undefined) return fail(USAGE, 'Name the folder of a model, and the model in it: mjcf FOLDER [MODEL]')
  const entry = given.model ?? (await onlyModel(resolve(io.cwd, folder)))
  if (entry === null) return fail(USAGE, await whichModels(folder, io.cwd))
  const pool = openReadingPool({ processes: 1 })
  try {
    const model = await checkModel(pool, { dir: folder, entry, cwd: io.cwd }, new AbortController().signal)
    const { checks } = model.report
    io.stdout.write(
      given.json ? `${JSON.stringify(model.report)}\n` : linesColored(modelText(model, paintFor(io.stdout))),
    )
    return checks.some(({ status }) => status === 'fail') ? FAILED : OK
  } catch (error) {
    return fail(FAILED, error instanceof Error ? error.message : String(error))
  } finally {
    await pool.close()
  }
}

interface Given {
  readonly folder: string | undefined
  readonly model: string | undefined
  readonly json: boolean
  readonly help: boolean
}

/** What is wrong with the arguments, as a sentence, where something is. */
function parsed(args: readonly string[]): Given | string {
  try {
    const { values, positionals } = parseArgs({
      args: [...args],
      allowPositionals: true,
      options: { json: { type: 'boolean', default: false }, help: { type: 'boolean', short: 'h', default: false } },
    })
    const [folder, model, ...more] = positionals
    return more.length > 0 ? `There is no use for ${more.join(' ')}.` : { folder, model, ...values }
  } catch (error) {
    return error instanceof Error ? error.message : String(error)
  }
}

/** The one model that is not part of another; null where there is none, or more than one. */
async function onlyModel(dir: string): Promise<string | null> {
  const [first, second] = ((await modelsIn(dir)) ?? []).filter(({ isPart }) => !isPart)
  return first !== undefined && second === undefined ? first.name : null
}

async function whichModels(folder: string, cwd: string): Promise<string> {
  const models = await modelsIn(resolve(cwd, folder))
  if (models === null) return `${folder} is not a folder.`
  if (models.length === 0) return `${folder} contains no .xml, .mjcf or .urdf file.`
  return `Name the model too: mjcf ${folder} ${models[0]?.name}. ${folder} contains ${models
    .slice(0, 8)
    .map(({ name }) => name)
    .join(', ')}.`
}
