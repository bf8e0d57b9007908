/** `hub key list|create|revoke`, by the person who is signed in. */

import type { HubClient, RemoteKey } from '@hub/client/internal'
import { type Command, InvalidArgumentError, Option } from 'commander'
import { bySession } from './by-session.ts'
import { type ClientIo, countText } from './client-output.ts'
import { type CommonOptions, collect, common, runCommand, type Work, wholeFrom } from './client-session.ts'
import { commandGroup } from './command-group.ts'
import { hubExamples, inV1Names, linesOf } from './output.ts'
import { inLine } from './terminal.ts'

interface CreateOptions extends CommonOptions {
  readonly scope: 'read' | 'write' | 'train'
  readonly name: string
  readonly owner?: string
  readonly repo: string[]
  readonly agent?: boolean
  readonly gpuHours?: number
  readonly days?: number
}

const sessionHelp = `
Managing keys needs a person's session; a key like that of hub login may only revoke itself. Do it on the page of \`hub open keys\`, or
here with the token of a session in HUB_TOKEN.`

/** Adds them to the `hub` program. */
export function registerKeyCommands(program: Command, io: ClientIo): void {
  const start = (options: CommonOptions, work: Work) =>
    runCommand(io, { ...options, json: options.json ?? program.opts<CommonOptions>().json }, work)
  const startKeys = (options: CommonOptions, work: Work) => start(options, bySession('keys', work))
  const keys = commandGroup(program, 'key', 'Create, list and revoke API keys')
  common(keys.command('list').description('List your keys, or those of an org, newest first; needs a session'), io)
    .option('--owner <handle>', 'owner of the keys: you (default) or one of your orgs')
    .option('--all', 'list revoked and expired keys too')
    .addHelpText('after', `${sessionHelp}\n${hubExamples('key list', 'key list --owner walnut-robotics --json')}`)
    .action(({ owner, all = false, ...options }: CommonOptions & { owner?: string; all?: boolean }) =>
      startKeys(options, (client) => listKeys(client, owner, all)),
    )
  common(keys.command('create').description('Create a key; its token is shown only once; needs a session'), io)
    .addOption(
      new Option('--scope <scope>', 'access level; each includes those before it')
        .choices(['read', 'write', 'train'])
        .makeOptionMandatory(),
    )
    .requiredOption('--name <name>', 'name of the key')
    .option('--owner <handle>', 'owner of the keys: you (default) or one of your orgs')
    .option('--repo <owner/slug>', 'limit the key to this repo (repeatable)', collect, [])
    .option(
      '--agent',
      'make it an agent key, which may not delete repos or make them public; its hosted work waits for a person',
    )
    .option('--gpu-hours <hours>', 'daily GPU hour quota', readHours)
    .option('--days <n>', 'lifetime in days (default: no end)', wholeFrom(1, 3660))
    .addHelpText(
      'after',
      `${sessionHelp}\n${hubExamples('key create --scope read --name dashboards', 'key create --scope train --name ci --repo ada/arm --days 30 --json')}`,
    )
    .action((options: CreateOptions) => startKeys(options, (client) => createKey(client, options)))
  common(keys.command('revoke <key>').description('Revoke a key for good; needs a session, or the key itself'), io)
    .addHelpText('after', `${sessionHelp}\n${hubExamples('key revoke key_01k0…')}`)
    .action((id: string, options: CommonOptions) =>
      startKeys(options, async (client) => {
        const key = inV1Names(await client.signIn.revokeKey(id))
        return { json: key, text: linesOf(key) }
      }),
    )
}

function readHours(text: string): number {
  const hours = Number(text)
  if (text.trim() !== '' && Number.isFinite(hours) && hours >= 0) return hours
  throw new InvalidArgumentError('Use a number, 0 or more.')
}

async function listKeys(client: HubClient, owner: string | undefined, all: boolean) {
  const keys: RemoteKey[] = []
  for await (const page of client.signIn.keys(owner)) keys.push(...page.filter((key) => all || isAlive(key)))
  const rows = keys.map((key) => `${inLine(keyRow(key))}\n`)
  return { json: { keys: keys.map(inV1Names) }, text: `${rows.join('')}${countText(keys.length, 'key')}\n` }
}

const isAlive = ({ revokedAt, expiresAt }: RemoteKey) =>
  revokedAt === null && (expiresAt === null || Date.parse(expiresAt) > Date.now())

function keyRow(key: RemoteKey): string {
  const end = key.revokedAt ? `revoked ${key.revokedAt}` : key.expiresAt ? `until ${key.expiresAt}` : 'no end'
  const used = key.lastUsedAt ? `used ${key.lastUsedAt}` : 'never used'
  return `${key.id}  ${key.scope.padEnd(5)} ${key.agent ? 'agent' : '     '}  ${end}, ${used}  ${key.name}`
}

async function createKey(client: HubClient, options: CreateOptions) {
  const { scope, name, owner, repo, agent, gpuHours, days } = options
  const made = await client.signIn.createKey({
    name,
    scope: scope.toUpperCase() as Uppercase<typeof scope>,
    owner,
    repos: repo.length > 0 ? repo : undefined,
    agent,
    dailyGpuHourQuota: gpuHours,
    expiresAt: days === undefined ? undefined : new Date(Date.now() + days * 86_400_000).toISOString(),
  })
  const result = { ...inV1Names(made.key), token: made.token }
  return { json: result, text: linesOf(result) }
}
