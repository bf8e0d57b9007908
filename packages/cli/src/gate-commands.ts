/** `hub gate`: what the rollouts of a model must reach before an endpoint serves it. */
import type { RolloutGate } from '@hub/client'
import { type HubClient, LocalError } from '@hub/client/internal'
import { nearestName } from '@hub/mjcf/nearest-name'
import { type Command, InvalidArgumentError } from 'commander'
import { type ClientIo, countText } from './client-output.ts'
import { type CommandResult, type CommonOptions, common, pathOf, runCommand, wholeFrom } from './client-session.ts'
import { commandGroup } from './command-group.ts'
import { hubExamples } from './output.ts'
import { MAX_PUBLISHED } from './rollout-publish.ts'
import { inLine } from './terminal.ts'

const help = `
A gate keeps a model from being served until the results of its rollouts on a robot are sure enough: all seeds that were
tried with its files, each once, and the lower end of their interval of 95 %. Results of agents' keys do not count.

--task names a board of the robot; --board is its fingerprint, or how that begins, where a task has several boards.
${hubExamples(
  'gate list ada/walker',
  'gate set ada/walker --robot ada/biped --task walk --least 0.8 -n 100',
  'gate remove ada/walker --robot ada/biped --task walk',
)}`

interface Which extends CommonOptions {
  readonly robot: string
  readonly task?: string
  readonly board?: string
}

interface SetOptions extends Which {
  readonly least: number
  readonly seeds: number
}

/** Adds the group to the `hub` program. */
export function registerGateCommands(program: Command, io: ClientIo): void {
  const group = commandGroup(program, 'gate', 'Set what the rollouts of a model must reach before it is served')
  const add = (name: string, text: string) =>
    common(group.command(`${name} <model>`).description(text), io).addHelpText('after', help)
  const named = (name: string, text: string) =>
    add(name, text)
      .requiredOption('--robot <owner/repo>', 'robot of the board')
      .option('--task <name>', 'task of the board')
      .option('--board <fingerprint>', 'fingerprint of the board, or how it begins')
  const run = (options: CommonOptions, work: (client: HubClient) => Promise<CommandResult>) =>
    runCommand(io, { ...options, json: options.json ?? program.opts<CommonOptions>().json }, work)
  add('list', 'List the gates of a model').action((model: string, options: CommonOptions) =>
    run(options, async (client) => told(await gatesOf(client, model))),
  )
  named('set', 'Set a gate of a model, or change it')
    .requiredOption('--least <rate>', 'where the interval of success begins at least, such as 0.8', rate)
    .requiredOption('-n, --seeds <n>', 'how many seeds are tried at least', wholeFrom(1, MAX_PUBLISHED))
    .action((model: string, options: SetOptions) =>
      run(options, async (client) => {
        const { least, seeds } = options
        const { robot, fingerprint } = await boardFor(client, model, options)
        const body = { robot, fingerprint, least, seeds }
        return told((await client.v1.putRolloutGate({ path: pathOf(model), body })).gates)
      }),
    )
  named('remove', 'Remove a gate of a model').action((model: string, options: Which) =>
    run(options, async (client) => {
      const ofRobot = (await gatesOf(client, model)).filter((gate) => gate.robot === options.robot)
      const { robot, fingerprint, seeds } = oneOf(ofRobot, options, {
        where: `the gates of ${model} on ${options.robot}`,
        none: `${model} has no gate on ${options.robot}: hub gate list ${model} shows those there are.`,
      })
      const body = { robot, fingerprint, seeds, least: null }
      return told((await client.v1.putRolloutGate({ path: pathOf(model), body })).gates)
    }),
  )
}

function rate(text: string): number {
  const value = Number(text)
  if (text.trim() !== '' && value > 0 && value <= 1) return value
  throw new InvalidArgumentError('It must be a number above 0 and up to 1, such as 0.8.')
}

const gatesOf = async (client: HubClient, model: string) =>
  (await client.v1.getRolloutGates({ path: pathOf(model) })).gates

interface Board {
  readonly robot: string
  readonly task: string
  readonly fingerprint: string
}

interface BoardOfRobot extends Board {
  readonly results: number
}

/** The board that is meant. A task that has none is answered with those whose names are near. */
async function boardFor(client: HubClient, model: string, options: Which): Promise<Board> {
  const { robot, task } = options
  const found = await boardsOf(client, robot, task)
  const none = `${robot} has no board: hub rollout ${model} --robot ${robot} --publish makes one.`
  if (task === undefined || found.some((one) => one.task === task))
    return oneOf(found, options, { where: `the boards of ${robot}`, none })
  const others = found.length > 0 ? found : await boardsOf(client, robot)
  if (others.length === 0) throw new LocalError(none)
  const near = found.length > 0 ? null : nearestName(task, new Set(others.map((one) => one.task)))
  const first = others.toSorted((a, b) => Number(b.task === near) - Number(a.task === near))
  const guess = near === null ? '' : ` Did you mean ${JSON.stringify(near)}?`
  const words = found.length > 0 ? 'Boards whose task contains this name' : 'Its boards'
  throw new LocalError(
    `${robot} has no board of the task ${JSON.stringify(task)}.${guess} ${words}: ${namesOf(first)}.`,
  )
}

/** A robot has a board for each task and disturbance. `q`: only those with this in the name of their task. */
async function boardsOf(client: HubClient, robot: string, q?: string): Promise<readonly BoardOfRobot[]> {
  const found: BoardOfRobot[] = []
  let cursor: string | null = null
  do {
    const query = { limit: 100, ...(q !== undefined && { q }), ...(cursor !== null && { cursor }) }
    const page = await client.v1.listRolloutBoards({ path: pathOf(robot), query })
    found.push(...page.items.map(({ task, fingerprint, results }) => ({ robot, task, fingerprint, results })))
    cursor = page.items.length === 0 ? null : page.next_cursor
  } while (cursor !== null)
  return found
}

/** The one that is meant; `where` says of what they are, `none` what helps where there is none. */
function oneOf<T extends Board>(
  all: readonly T[],
  { task, board = '' }: Which,
  { where, none }: { readonly where: string; readonly none: string },
): T {
  const found = all.filter((one) => (task === undefined || one.task === task) && one.fingerprint.startsWith(board))
  const [first, second] = found
  if (first && !second) return first
  if (!first) throw new LocalError(all.length === 0 ? none : `None of ${where} matches; there are: ${namesOf(all)}.`)
  throw new LocalError(`Several of ${where} are meant: ${namesOf(found)}. Name one with --board.`)
}

const namesOf = (boards: readonly (Board & Partial<BoardOfRobot>)[]) =>
  boards
    .slice(0, 10)
    .map(({ task, fingerprint, results }) => `${task} ${fingerprint.slice(0, 6)}${resultsText(results)}`)
    .join(', ')

/** Counting ends at a thousand. */
const resultsText = (results: number | undefined) =>
  results === undefined ? '' : ` (${results < 1000 ? countText(results, 'result') : '1,000 or more results'})`

function told(gates: readonly RolloutGate[]): CommandResult {
  const lines = gates.map(({ robot, is_robot_visible, task, fingerprint, least, seeds }) => {
    const gone = is_robot_visible ? '' : '; the robot is deleted or hidden, so nothing meets it: remove it'
    const needs = `${countText(seeds, 'seed')}, interval from ${Number((100 * least).toFixed(2))} %`
    return inLine(`${task} ${fingerprint.slice(0, 6)} on ${robot}: ${needs}${gone}`)
  })
  return {
    json: { gates: [...gates] },
    text: [...lines, countText(gates.length, 'gate')].map((one) => `${one}\n`).join(''),
  }
}
