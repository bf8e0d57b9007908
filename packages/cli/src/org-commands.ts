/** `hub org`: the organizations of the person who is signed in, their members and invitations. */
import type { RemoteRole } from '@hub/client/internal'
import { Argument, type Command, Option } from 'commander'
import { bySession } from './by-session.ts'
import { type ClientIo, countText } from './client-output.ts'
import { type CommonOptions, common, runCommand, type Start, type Work } from './client-session.ts'
import { commandGroup } from './command-group.ts'
import { hubExamples, inV1Names, linesOf } from './output.ts'
import { inLine } from './terminal.ts'

const roles = ['member', 'owner'] as const satisfies readonly RemoteRole[]

const sessionHelp = `
Changing an organization needs a person's session. Do it on the page of \`hub open orgs\`, or here with the token of a
session in HUB_TOKEN.`

const row = (text: string) => `${inLine(text.trimEnd())}\n`

/** Adds them to the `hub` program. */
export function registerOrgCommands(program: Command, io: ClientIo): void {
  const start = (options: CommonOptions, work: Work) =>
    runCommand(io, { ...options, json: options.json ?? program.opts<CommonOptions>().json }, work)
  const change = (options: CommonOptions, work: Work) => start(options, bySession('orgs', work))
  const orgs = commandGroup(program, 'org', 'Create organizations, invite people and list members')
  const add = (words: string, about: string) => common(orgs.command(words).description(about), io)
  const group = { add, start, change }
  addOrgs(group)
  addInvitations(group)
  addMembers(group)
}

/** The commands of `hub org`. */
interface Group {
  readonly add: (words: string, about: string) => Command
  readonly start: Start
  /** Says, where it needs one, that a person's session is missing. */
  readonly change: Start
}

function addOrgs({ add, start, change }: Group): void {
  add('list', 'List the orgs that you belong to')
    .addHelpText('after', hubExamples('org list', 'org list --json'))
    .action((options: CommonOptions) =>
      start(options, async (client) => {
        const { orgs: items } = await client.me()
        const rows = items.map(({ handle, name }) => row(`${handle.padEnd(24)} ${name ?? ''}`))
        return { json: { orgs: items }, text: `${rows.join('')}${countText(items.length, 'org')}\n` }
      }),
    )
  add('members <org>', 'List the members of an org that you belong to')
    .addHelpText('after', hubExamples('org members walnut-robotics'))
    .action((org: string, options: CommonOptions) =>
      start(options, async (client) => {
        const members = await client.orgs.members(org)
        const rows = members.map(({ handle, role }) => row(`${role.padEnd(7)} ${handle}`))
        return { json: { org, members }, text: `${rows.join('')}${countText(members.length, 'member')}\n` }
      }),
    )
  add('create <org>', 'Create an org, whose first owner you are; needs a session')
    .option('--name <name>', 'name to display')
    .addHelpText('after', `${sessionHelp}\n${hubExamples('org create walnut-robotics --name "Walnut Robotics"')}`)
    .action((org: string, { name, ...options }: CommonOptions & { name?: string }) =>
      change(options, async (client) => {
        const made = await client.orgs.create(org, name)
        return { json: made, text: linesOf(made) }
      }),
    )
}

function addInvitations({ add, change }: Group): void {
  add('invite <org>', 'Print a link by which one person comes into an org, within seven days; needs a session')
    .addOption(new Option('--role <role>', 'role in the org').choices(roles).default('member'))
    .addHelpText('after', `${sessionHelp}\n${hubExamples('org invite walnut-robotics --role owner')}`)
    .action((org: string, { role, ...options }: CommonOptions & { role: RemoteRole }) =>
      change(options, async (client) => {
        const made = inV1Names(await client.orgs.invite(org, role))
        return { json: made, text: linesOf(made) }
      }),
    )
  add('invitations <org>', 'List the invitations of an org that wait; needs a session of an owner')
    .addHelpText('after', `${sessionHelp}\n${hubExamples('org invitations walnut-robotics')}`)
    .action((org: string, options: CommonOptions) =>
      change(options, async (client) => {
        const items = await client.orgs.invitations(org)
        const rows = items.map(({ id, role, expiresAt }) => row(`${id}  ${(role ?? '').padEnd(7)} until ${expiresAt}`))
        return {
          json: { org, invitations: items.map(inV1Names) },
          text: `${rows.join('')}${countText(items.length, 'invitation')}\n`,
        }
      }),
    )
  add('withdraw <invitation>', 'End an invitation, by its id, before it is used; needs a session')
    .addHelpText('after', `${sessionHelp}\n${hubExamples('org withdraw link_01k0…')}`)
    .action((id: string, options: CommonOptions) =>
      change(options, async (client) => {
        const ended = await client.orgs.withdraw(id)
        return { json: ended, text: row(`withdrawn ${ended.id}`) }
      }),
    )
}

/** What members are, and that they are not any more. */
function addMembers({ add, change }: Group): void {
  add('role <org> <user>', 'Set the role of a user in an org, also of one who is not in it yet; needs a session')
    .addArgument(new Argument('<role>', 'role in the org').choices(roles))
    .addHelpText('after', `${sessionHelp}\n${hubExamples('org role walnut-robotics bob owner')}`)
    .action((org: string, user: string, role: RemoteRole, options: CommonOptions) =>
      change(options, async (client) => {
        const member = await client.orgs.setRole(org, user, role)
        return {
          json: { org, handle: member.user.handle, role: member.role },
          text: row(`${member.role.padEnd(7)} ${member.user.handle}`),
        }
      }),
    )
  add('remove <org> <user>', 'Remove a member, or yourself, from an org; needs a session')
    .addHelpText('after', `${removeHelp}\n${hubExamples('org remove walnut-robotics bob')}`)
    .action((org: string, user: string, options: CommonOptions) =>
      change(options, async (client) => {
        const { user: gone, revokedKeyIds } = await client.orgs.remove(org, user)
        const keys = revokedKeyIds.length > 0 ? `, and revoked ${countText(revokedKeyIds.length, 'key')}` : ''
        return {
          json: { org, handle: gone.handle, revoked_key_ids: revokedKeyIds },
          text: row(`removed ${gone.handle} from ${org}${keys}`),
        }
      }),
    )
}

const removeHelp = `${sessionHelp}
Keys of the organization that they made are revoked. Its repos, runs and spending stay.`
