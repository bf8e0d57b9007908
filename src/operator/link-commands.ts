/** Commands that print a link which works once: an invitation, and the reset of how a person signs in. */
import { type Command, Option } from 'commander'
import type { ClientIo } from 'hub/client-output'
import { examples, printResult } from 'hub/output'
import type { MadeLink } from '../accounts/links/link-rows.ts'
import type { OrgRole } from '../accounts/org-members.ts'
import type { Querier } from '../store/db.ts'
import { onDeployment, type Verbs } from './on-deployment.ts'

interface InviteOptions {
  readonly org?: string
  readonly role?: OrgRole
  readonly json?: boolean
}

/** Adds `invite` and `reset` to `user`. */
export function registerLinkCommands(users: Command, io: ClientIo): void {
  users
    .command('invite')
    .option('--org <handle>', 'org that the person comes into; without it, they get an account alone')
    .addOption(new Option('--role <role>', 'role in the org').choices(['member', 'owner']).default('member'))
    .description('Print a link by which one person makes an account, within seven days')
    .option('--json', 'print one JSON object')
    .addHelpText('after', examples('user invite', 'user invite --org acme --role owner'))
    .action(async ({ org: handle, role, json }: InviteOptions) => {
      await printLink(io, json, async (tx, { addInvitation, findAccount, noViewer }) => {
        const org = handle === undefined ? null : await findAccount(tx, handle, 'org')
        return addInvitation(tx, noViewer, { org, role: role ?? 'member', createdBy: null })
      })
    })
  users
    .command('reset')
    .argument('<handle>', 'handle of the user')
    .description('Print a link that replaces password and passkeys within an hour, and ends all sessions of the user')
    .option('--json', 'print one JSON object')
    .addHelpText('after', examples('user reset ada'))
    .action(async (handle: string, { json }: { json?: boolean }) => {
      await printLink(io, json, async (tx, { addAccountLink, findAccount, noViewer }) =>
        addAccountLink(tx, noViewer, { kind: 'reset', account: await findAccount(tx, handle, 'user') }),
      )
    })
}

async function printLink(
  io: ClientIo,
  json: boolean | undefined,
  make: (tx: Querier, verbs: Verbs) => Promise<MadeLink>,
): Promise<void> {
  const made = await onDeployment(io, async ({ config, db }, verbs) => {
    verbs.assertLocalSignIn(config)
    const { id, path, expiresAt } = await db.withTx((tx) => make(tx, verbs))
    return { id, url: `${config.publicUrl ?? verbs.addressUrl(config)}${path}`, expiresAt }
  })
  printResult(io, made, json ?? false)
}
