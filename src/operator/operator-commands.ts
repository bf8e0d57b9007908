/** The operator commands. They work directly on the deployment's database, whether or not the server is running. */
import { type Command, InvalidArgumentError, Option } from 'commander'
import type { ClientIo } from 'hub/client-output'
import { commandGroup } from 'hub/command-group'
import { examples, inV1Names, printResult } from 'hub/output'
import { inLine, print, printJson } from 'hub/terminal'
import type { OrgRole } from '../accounts/org-members.ts'
import type { ScopeLevel } from '../operation/context.ts'
import { registerAccessCommands } from './access-commands.ts'
import { checksText } from './doctor-checks.ts'
import { registerLinkCommands } from './link-commands.ts'
import { ofServer } from './load-server.ts'
import { onDeployment } from './on-deployment.ts'
import { registerStorageCommands } from './storage-commands.ts'
import { registerStoreCommands } from './store-commands.ts'

interface Member {
  readonly user: string
  readonly role: OrgRole
}

interface KeyOptions {
  readonly scope: ScopeLevel
  readonly name?: string
  readonly repo?: string[]
  readonly agent?: boolean
  readonly gpuHours?: number
  readonly expires?: string
  readonly json?: boolean
}

function readMember(text: string, before: Member[] = []): Member[] {
  const [user = '', role = 'member', ...rest] = text.split(':')
  if (user === '' || rest.length > 0 || (role !== 'owner' && role !== 'member')) {
    throw new InvalidArgumentError('Use HANDLE, HANDLE:owner or HANDLE:member.')
  }
  return [...before, { user, role }]
}

function readNumber(text: string): number {
  const value = Number(text)
  if (text.trim() === '' || !Number.isFinite(value) || value < 0)
    throw new InvalidArgumentError('Use a number, 0 or more.')
  return value
}

function readSeconds(text: string): number {
  const value = Number(text)
  if (!Number.isSafeInteger(value) || value < 1 || value > 366 * 86_400) {
    throw new InvalidArgumentError('Use whole seconds, from 1 to a year.')
  }
  return value
}

function readTime(text: string): string {
  if (Number.isNaN(Date.parse(text))) throw new InvalidArgumentError('Use a time such as 2027-01-31T00:00:00Z.')
  return text
}

const collect = (text: string, before: string[] = []) => [...before, text]

/** Adds `user`, `org`, `key`, `session`, `store`, `storage`, `migrate` and `doctor`. */
export function registerOperatorCommands(program: Command, io: ClientIo): void {
  registerUsers(program, io)
  registerOrgs(program, io)
  registerKeys(program, io)
  registerSessions(program, io)
  registerStoreCommands(program, io)
  registerStorageCommands(program, io)
  registerDeployment(program, io)
}

function registerUsers(program: Command, io: ClientIo): void {
  const users = commandGroup(program, 'user', 'Create and list users')
  users
    .command('list')
    .description('List all users, by handle')
    .option('--json', 'print one JSON object')
    .addHelpText('after', examples('user list', 'user list --json'))
    .action(async (options: { json?: boolean }) => {
      const found = await onDeployment(io, ({ db }, { allUsers }) => db.query(allUsers))
      if (options.json) printJson(io.stdout, { users: found.map(inV1Names) })
      else
        print(
          io.stdout,
          found.map(({ handle, name }) => `${inLine(`${handle.padEnd(24)} ${name ?? ''}`.trimEnd())}\n`).join(''),
        )
    })
  users
    .command('add')
    .argument('<handle>', 'handle of the user: lower-case letters, digits and inner hyphens')
    .option('--name <name>', 'display name')
    .description('Create a user')
    .option('--json', 'print one JSON object')
    .addHelpText('after', examples('user add ada --name "Ada Lovelace" --json'))
    .action(async (handle: string, options: { name?: string; json?: boolean }) => {
      const user = await onDeployment(io, ({ db }, { addUser, noViewer }) =>
        db.withTx((tx) => addUser(tx, noViewer, { handle, name: options.name ?? null })),
      )
      printResult(io, { ...user }, options.json ?? false)
    })
  registerLinkCommands(users, io)
  registerAccessCommands(users, io)
}

function registerOrgs(program: Command, io: ClientIo): void {
  commandGroup(program, 'org', 'Create organizations, invite people and list members')
    .command('add')
    .argument('<handle>', 'handle of the org; orgs and users share one namespace')
    .option('--name <name>', 'display name')
    .option('--member <handle[:role]>', 'user to add, as member (default) or owner (repeatable)', readMember)
    .description('Create an org with its members')
    .option('--json', 'print one JSON object')
    .addHelpText('after', examples('org add acme --member ada:owner --member bob'))
    .action(async (handle: string, options: { name?: string; member?: Member[]; json?: boolean }) => {
      const input = { handle, name: options.name ?? null, members: options.member ?? [] }
      const org = await onDeployment(io, ({ db }, { addOrg, noViewer }) =>
        db.withTx((tx) => addOrg(tx, noViewer, input)),
      )
      printResult(io, { ...org }, options.json ?? false)
    })
}

function registerKeys(program: Command, io: ClientIo): void {
  commandGroup(program, 'key', 'Create, list and revoke API keys')
    .command('add')
    .argument('<handle>', 'user or org that owns the key')
    .addOption(
      new Option('--scope <level>', 'access level; each includes those before it')
        .choices(['read', 'write', 'train'])
        .makeOptionMandatory(),
    )
    .option('--name <name>', 'name of the key', 'command line')
    .option('--repo <owner/slug>', 'limit the key to this repo (repeatable)', collect)
    .option(
      '--agent',
      'make it an agent key, which may not delete repos or make them public; its hosted work waits for a person',
    )
    .option('--gpu-hours <hours>', 'daily GPU hour quota', readNumber)
    .option('--expires <time>', 'expiry time, RFC 3339', readTime)
    .description('Create an API key; its token is shown only once')
    .option('--json', 'print one JSON object')
    .addHelpText(
      'after',
      examples(
        'key add ada --scope write --json',
        'key add acme --scope read --repo acme/arm --expires 2027-01-31T00:00:00Z',
      ),
    )
    .action(async (handle: string, options: KeyOptions) => {
      const key = await onDeployment(io, ({ db }, { addApiKey, findAccount, noViewer }) =>
        db.withTx(async (tx) => {
          const { scope, name, repo, agent, gpuHours, expires } = options
          const input = {
            name: name ?? 'command line',
            scope,
            repos: repo,
            agent,
            dailyGpuHourQuota: gpuHours,
            expiresAt: expires,
          }
          return addApiKey({ tx, ctx: noViewer, owner: await findAccount(tx, handle), createdBy: null, input })
        }),
      )
      const { id, ...rest } = key
      printResult(io, { id, handle: rest.owner.handle, ...rest }, options.json ?? false)
    })
}

function registerSessions(program: Command, io: ClientIo): void {
  program
    .command('session')
    .description('Create sessions')
    .command('add')
    .argument('<handle>', 'handle of the user')
    .option('--ttl <seconds>', 'lifetime in seconds (default: SESSION_TTL_S)', readSeconds)
    .description('Create a session; its token is shown only once')
    .option('--json', 'print one JSON object')
    .addHelpText('after', examples('session add ada --ttl 3600 --json'))
    .action(async (handle: string, options: { ttl?: number; json?: boolean }) => {
      const session = await onDeployment(io, (auth, { findAccount, noViewer, openSession }) =>
        auth.db.withTx(async (tx) => {
          const user = await findAccount(tx, handle, 'user')
          return {
            handle,
            ...(await openSession({
              auth,
              tx,
              ctx: noViewer,
              user,
              ttlSeconds: options.ttl ?? auth.config.sessionTtlSeconds,
            })),
          }
        }),
      )
      printResult(io, session, options.json ?? false)
    })
}

/** What concerns the deployment as a whole. */
function registerDeployment(program: Command, io: ClientIo): void {
  program
    .command('migrate')
    .description('Apply all pending migrations (the server also does this at startup)')
    .option('--json', 'print one JSON object')
    .addHelpText('after', examples('migrate'))
    .action(async (options: { json?: boolean }) => {
      const applied = await onDeployment(io, ({ db }, { finishedMigrations }) => db.query(finishedMigrations))
      printResult(io, { current: true, migrations: applied.map(({ name }) => name) }, options.json ?? false)
    })

  program
    .command('doctor')
    .description('Check every part of the deployment and say what to do; exit code 1 if one fails')
    .option('--json', 'print one JSON object')
    .addHelpText('after', examples('doctor', 'doctor --json'))
    .action(async (options: { json?: boolean }) => {
      const { runDoctor } = await ofServer(() => import('./doctor.ts'))
      const report = await runDoctor(io)
      if (options.json) printResult(io, { ...report }, true)
      else print(io.stdout, checksText(report.checks))
      if (!report.ok) io.exit(1)
    })
}
