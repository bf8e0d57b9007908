/** Commands that print a link which works once: an invitation, and the reset of how a person signs in. */
import { type Command, Option } from 'commander'
import type { ClientIo } from 'hub/client-output'
import { examples, printResult } from 'hub/output'
import { findAccount } from '../accounts/find-account.ts'
import { addAccountLink } from '../accounts/links/account-links.ts'
import { addInvitation } from '../accounts/links/invite.ts'
import type { MadeLink } from '../accounts/links/link-rows.ts'
import type { OrgRole } from '../accounts/org-members.ts'
import { assertLocalSignIn } from '../accounts/passwords/sign-in.ts'
import type { Auth } from '../auth/auth.ts'
import { noViewer } from '../operation/audit.ts'
import { addressUrl, type Config } from '../platform/config.ts'
import type { Querier } from '../store/db.ts'
import { withAuth } from './open-deps.ts'

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
      await printLink(io, json, async (tx) => {
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
      await printLink(io, json, async (tx) =>
        addAccountLink(tx, noViewer, { kind: 'reset', account: await findAccount(tx, handle, 'user') }),
      )
    })
}

async function printLink(
  io: ClientIo,
  json: boolean | undefined,
  make: (tx: Querier) => Promise<MadeLink>,
): Promise<void> {
  const made = await withAuth(io, async (auth: Auth) => {
    assertLocalSignIn(auth.config)
    const { id, path, expiresAt } = await auth.db.withTx(make)
    return { id, url: `${addressOf(auth.config)}${path}`, expiresAt }
  })
  printResult(io, made, json ?? false)
}

const addressOf = (config: Config) => config.publicUrl ?? addressUrl(config)
