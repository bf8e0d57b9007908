/** `hub map`: whether what was made for one body runs on a robot, and the maps of joints between them. */
import { type HubClient, LocalError, repoRanges } from '@hub/client/internal'
import type { Embodiment } from '@hub/embodiment/embodiment'
import { fit } from '@hub/embodiment/fit'
import { fromCard } from '@hub/embodiment/from-card'
import { fromContract } from '@hub/embodiment/from-contract'
import { fromLeRobot } from '@hub/embodiment/from-lerobot'
import { proposeMap } from '@hub/embodiment/propose-map'
import { readJointMap } from '@hub/embodiment/read-joint-map'
import { type Command, Option } from 'commander'
import type { ClientIo } from './client-output.ts'
import {
  type CommandResult,
  type CommonOptions,
  common,
  pathOf,
  repoName,
  runCommand,
  wholeFrom,
} from './client-session.ts'
import { commandGroup } from './command-group.ts'
import { type FitListOptions, listFits } from './fit-list.ts'
import { fileMap, parsed } from './map-file.ts'
import { fitText, type KeptMap, keptText, proposalText } from './map-output.ts'
import { hubExamples, inV1Names } from './output.ts'
import { cardOf } from './robot-card.ts'

const help = `
A map of joints says how numbers of a data set, a model or a robot become numbers of a robot: for each joint
target = sign * scale * source + offset, values for joints that nothing moves, and joints that go nowhere.

"hub map list" shows what runs on a robot, or the robots that a data set or a model runs on; with --near what has
the same joints and does not fit, with the reasons.
"hub map fit" compares both sides, with the kept map if there is one; it exits with 1 if the source does not fit.
"hub map propose" prints a map to start from, and what it guesses: check each line, then keep it with "hub map put".
${hubExamples(
  'map list ada/so100 --kind model',
  'map fit ada/pick-cube ada/so100',
  'map show ada/pick-cube ada/so100',
  'map propose ada/pick-cube ada/so100 --json > map.json',
  'map put ada/pick-cube ada/so100 map.json',
  'map review ada/pick-cube ada/so100',
)}`

type Action = (client: HubClient, source: string, robot: string) => Promise<CommandResult>

/** Adds the group to the `hub` program. */
export function registerMapCommands(program: Command, io: ClientIo): void {
  const map = commandGroup(program, 'map', 'Check what fits which robot, and make maps of joints')
  const add = (name: string, text: string, act: Action) =>
    common(map.command(`${name} <source> <robot>`).description(text), io)
      .addHelpText('after', help)
      .action((source: string, robot: string, options: CommonOptions) => {
        const json = options.json ?? program.opts<CommonOptions>().json
        return runCommand(io, { ...options, json }, (client) => act(client, source, robot))
      })
  add('fit', 'Check whether a repo fits a robot, and show what differs', showFit)
  add('show', 'Show the kept map from a repo to a robot', async (client, source, robot) => {
    const kept = await neededMap(client, source, robot)
    return { json: { ...kept }, text: keptText(kept) }
  })
  add('propose', 'Print a map to start from', propose)
  add('review', 'Approve the current map as its reviewer', review)
  common(map.command('list <repo>').description('List what runs on a robot, or which robots a repo runs on'), io)
    .addOption(new Option('--kind <kind>', 'only repos of this kind').choices(['dataset', 'model']))
    .option('--near', 'what has the same joints and does not fit, instead')
    .option('--limit <n>', 'maximum number of repos', wholeFrom(1), 20)
    .addHelpText('after', help)
    .action((repo: string, options: CommonOptions & FitListOptions) => {
      const json = options.json ?? program.opts<CommonOptions>().json
      return runCommand(io, { ...options, json }, (client) => listFits(client, repo, options))
    })
  common(map.command('put <source> <robot> <file>').description('Store a map from a file of JSON'), io)
    .addHelpText('after', help)
    .action((source: string, robot: string, file: string, options: CommonOptions) => {
      const json = options.json ?? program.opts<CommonOptions>().json
      return runCommand(io, { ...options, json }, (client) => put(io, client, { source, robot, file }))
    })
}

async function showFit(client: HubClient, source: string, robot: string): Promise<CommandResult> {
  const [theirs, ours, kept] = await Promise.all([
    bodyOf(client, source),
    bodyOf(client, robot),
    currentMap(client, source, robot),
  ])
  const read = kept ? readJointMap(kept.map) : null
  const found = fit(theirs, ours, read && 'map' in read ? read.map : undefined)
  return { json: inV1Names(found), text: fitText(source, robot, found, kept), code: found.verdict === 'none' ? 1 : 0 }
}

async function propose(client: HubClient, source: string, robot: string): Promise<CommandResult> {
  const [theirs, ours] = await Promise.all([bodyOf(client, source), bodyOf(client, robot)])
  const { map, guesses } = proposeMap(theirs, ours)
  return { json: { ...map }, text: proposalText(map, guesses) }
}

async function put(
  { cwd }: ClientIo,
  client: HubClient,
  { source, robot, file }: { readonly source: string; readonly robot: string; readonly file: string },
): Promise<CommandResult> {
  const map = await fileMap(cwd, file)
  const before = await currentMap(client, source, robot)
  const body = { robot, if_version: before?.version ?? 0, map: { ...map } }
  const kept = await client.v1.putJointMap({ path: pathOf(source), body })
  return { json: { ...kept }, text: keptText(kept) }
}

async function review(client: HubClient, source: string, robot: string): Promise<CommandResult> {
  const { version } = await neededMap(client, source, robot)
  const kept = await client.v1.reviewJointMap({ path: pathOf(source), body: { robot, version } })
  return { json: { ...kept }, text: keptText(kept) }
}

async function currentMap(client: HubClient, source: string, robot: string): Promise<KeptMap | null> {
  const { owner, slug } = repoName(robot)
  const query = { robot: `${owner}/${slug}`, limit: 1 }
  const { items } = await client.v1.listJointMaps({ path: pathOf(source), query })
  return items[0] ?? null
}

async function neededMap(client: HubClient, source: string, robot: string): Promise<KeptMap> {
  const kept = await currentMap(client, source, robot)
  if (!kept) throw new LocalError(`No map leads from ${source} to ${robot}; start with "hub map propose".`)
  return kept
}

/** What the repo says of its body: its card, its meta/info.json, or the contract of its policy. */
async function bodyOf(client: HubClient, name: string): Promise<Embodiment> {
  const { kind } = await client.v1.getRepo({ path: pathOf(name) })
  const found = await readers[kind](client, name)
  if (!found) throw new LocalError(`${name} does not name its joints: ${missing[kind]}.`)
  return found
}

const missing = {
  robot: 'its card has no interface',
  dataset: 'meta/info.json has no names for the numbers of action',
  model: 'it has no contract.json or manifest.json with a joint_order',
} as const

const readers = {
  async robot(client: HubClient, name: string) {
    const card: { interface?: unknown; limits?: unknown } = await cardOf(client, name, () => 'it names the joints')
    return fromCard(card.interface, card.limits)
  },
  dataset: async (client: HubClient, name: string) => fromLeRobot(await firstJson(client, name, ['meta/info.json'])),
  async model(client: HubClient, name: string) {
    const stamp = await firstJson(client, name, ['contract.json', 'manifest.json'])
    return fromContract(stamp && 'contract' in stamp ? stamp.contract : stamp)
  },
}

/** Of files that describe a policy or a data set; real ones have a few kilobytes. */
const MAX_BYTES = 1024 * 1024

async function firstJson(client: HubClient, name: string, paths: readonly string[]): Promise<object | null> {
  const files = await repoRanges(client, repoName(name))
  const path = paths.find((one) => files.sizes.has(one))
  const size = path === undefined ? 0 : (files.sizes.get(path) ?? 0)
  if (path === undefined || size === 0) return null
  if (size > MAX_BYTES) throw new LocalError(`${path} of ${name} is over 1 MiB.`)
  const value = parsed(`${path} of ${name}`, new TextDecoder().decode(await files.read(path, 0, size)))
  return typeof value === 'object' ? value : null
}
