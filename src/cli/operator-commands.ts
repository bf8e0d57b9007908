/** The operator's commands. They work on the deployment's database itself, while the server runs and while it does not. */
import { type Command, InvalidArgumentError, Option } from 'commander'
import { addOrg, addUser } from '../accounts/accounts.ts'
import { addApiKey } from '../accounts/api-keys.ts'
import { findAccount } from '../accounts/find-account.ts'
import type { OrgRole } from '../accounts/org-members.ts'
import { openSession } from '../accounts/sessions.ts'
import { noViewer } from '../operation/audit.ts'
import type { ScopeLevel } from '../operation/context.ts'
import { runDoctor } from './doctor.ts'
import { withAuth } from './open-deps.ts'
import { printResult } from './output.ts'

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
    throw new InvalidArgumentError('Give HANDLE, HANDLE:owner or HANDLE:member.')
  }
  return [...before, { user, role }]
}

function readNumber(text: string): number {
  const value = Number(text)
  if (text.trim() === '' || !Number.isFinite(value) || value < 0)
    throw new InvalidArgumentError('Give a number, 0 or more.')
  return value
}

function readSeconds(text: string): number {
  const value = Number(text)
  if (!Number.isSafeInteger(value) || value < 1 || value > 366 * 86_400) {
    throw new InvalidArgumentError('Give whole seconds, from 1 to a year.')
  }
  return value
}

function readTime(text: string): string {
  if (Number.isNaN(Date.parse(text))) throw new InvalidArgumentError('Give a time such as 2027-01-31T00:00:00Z.')
  return text
}

const collect = (text: string, before: string[] = []) => [...before, text]
const examples = (...lines: string[]) =>
  `\nExamples:\n${lines.map((line) => `  $ npm run --silent hub -- ${line}`).join('\n')}`

/** Adds `user`, `org`, `key`, `session`, `signing-key`, `migrate` and `doctor`. */
export function registerOperatorCommands(program: Command): void {
  program
    .command('user')
    .description('people')
    .command('add')
    .argument('<handle>', 'lower-case letters, digits and inner hyphens')
    .option('--name <name>', 'the name to show')
    .description('make a user')
    .option('--json', 'print one JSON object')
    .addHelpText('after', examples('user add ada --name "Ada Lovelace" --json'))
    .action(async (handle: string, options: { name?: string; json?: boolean }) => {
      const user = await withAuth((auth) =>
        auth.db.withTx((tx) => addUser(tx, noViewer, { handle, name: options.name ?? null })),
      )
      printResult({ ...user }, options.json ?? false)
    })

  program
    .command('org')
    .description('organizations')
    .command('add')
    .argument('<handle>', 'shares one namespace with users')
    .option('--name <name>', 'the name to show')
    .option('--member <handle[:role]>', 'a person in it, as member (default) or owner; repeat for more', readMember)
    .description('make an org with its people')
    .option('--json', 'print one JSON object')
    .addHelpText('after', examples('org add acme --member ada:owner --member bob'))
    .action(async (handle: string, options: { name?: string; member?: Member[]; json?: boolean }) => {
      const input = { handle, name: options.name ?? null, members: options.member ?? [] }
      printResult(
        { ...(await withAuth((auth) => auth.db.withTx((tx) => addOrg(tx, noViewer, input)))) },
        options.json ?? false,
      )
    })

  program
    .command('key')
    .description('API keys')
    .command('add')
    .argument('<handle>', 'the user or org that it belongs to')
    .addOption(
      new Option('--scope <level>', 'each includes those before it')
        .choices(['read', 'write', 'train'])
        .makeOptionMandatory(),
    )
    .option('--name <name>', 'what it is for', 'command line')
    .option('--repo <owner/slug>', 'limit it to this repo; repeat for more', collect)
    .option('--agent', 'an agent key: it may not delete a repo or make one public')
    .option('--gpu-hours <hours>', 'GPU hours a day', readNumber)
    .option('--expires <time>', 'when it ends, RFC 3339', readTime)
    .description('make an API key; its token is shown this once')
    .option('--json', 'print one JSON object')
    .addHelpText(
      'after',
      examples(
        'key add ada --scope write --json',
        'key add acme --scope read --repo acme/arm --expires 2027-01-31T00:00:00Z',
      ),
    )
    .action(async (handle: string, options: KeyOptions) => {
      const key = await withAuth((auth) =>
        auth.db.withTx(async (tx) => {
          const { scope, name, repo, agent, gpuHours, expires } = options
          const input = {
            name: name ?? 'command line',
            scope,
            repos: repo,
            agent,
            dailyGpuHourQuota: gpuHours,
            expiresAt: expires,
          }
          return addApiKey(tx, noViewer, await findAccount(tx, handle), null, input)
        }),
      )
      const { id, ...rest } = key
      printResult({ id, handle: rest.owner.handle, ...rest }, options.json ?? false)
    })

  program
    .command('session')
    .description("people's sessions")
    .command('add')
    .argument('<handle>', 'the user')
    .option('--ttl <seconds>', 'how long it lasts; SESSION_TTL_S by default', readSeconds)
    .description('open a session; its token is shown this once')
    .option('--json', 'print one JSON object')
    .addHelpText('after', examples('session add ada --ttl 3600 --json'))
    .action(async (handle: string, options: { ttl?: number; json?: boolean }) => {
      const session = await withAuth((auth) =>
        auth.db.withTx(async (tx) => {
          const user = await findAccount(tx, handle, 'user')
          return {
            handle,
            ...(await openSession(auth, tx, noViewer, user, options.ttl ?? auth.config.sessionTtlSeconds)),
          }
        }),
      )
      printResult(session, options.json ?? false)
    })

  program
    .command('signing-key')
    .description("the hub's own key, which signs sessions")
    .command('rotate')
    .description('sign with a new key from now on; what is signed already stays valid')
    .option('--json', 'print one JSON object')
    .addHelpText('after', examples('signing-key rotate'))
    .action(async (options: { json?: boolean }) => {
      printResult({ kid: await withAuth((auth) => auth.keys.rotate()) }, options.json ?? false)
    })

  program
    .command('migrate')
    .description('bring the database to the newest migration (the server does so at its start too)')
    .option('--json', 'print one JSON object')
    .addHelpText('after', examples('migrate'))
    .action(async (options: { json?: boolean }) => {
      const applied = await withAuth((auth) => auth.db.query<{ name: string }>(finishedMigrations))
      printResult({ current: true, migrations: applied.map(({ name }) => name) }, options.json ?? false)
    })

  program
    .command('doctor')
    .description('what is configured, reachable and pending; exit code 1 when something is not well')
    .option('--json', 'print one JSON object')
    .addHelpText('after', examples('doctor', 'doctor --json'))
    .action(async (options: { json?: boolean }) => {
      const report = await runDoctor()
      printResult({ ...report }, options.json ?? false)
      if (!report.ok) process.exitCode = 1
    })
}

const finishedMigrations = {
  name: '',
  text: 'select migration_name as name from _prisma_migrations where finished_at is not null order by migration_name',
}
