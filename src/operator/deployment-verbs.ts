/** The verbs and lists of the operator commands: what they need of the server. */
import { column, columns } from '../store/columns.ts'
import { statement } from '../store/statement.ts'

export { addOrg, addUser } from '../accounts/accounts.ts'
export { addApiKey } from '../accounts/api-keys.ts'
export { findAccount } from '../accounts/find-account.ts'
export { addAccountLink } from '../accounts/links/account-links.ts'
export { addInvitation } from '../accounts/links/invite.ts'
export { assertLocalSignIn } from '../accounts/passwords/sign-in.ts'
export { openSession } from '../accounts/sessions.ts'
export { disableUser, enableUser } from '../accounts/users/disable-user.ts'
export { readUser } from '../accounts/users/list-users.ts'
export { recountStorage } from '../deployment/recount-storage.ts'
export { addDevice } from '../devices/register-device.ts'
export { noViewer } from '../operation/audit.ts'
export { addressUrl } from '../platform/config.ts'
export { withAuth } from './open-deps.ts'

const userColumns = columns({
  id: column.text('a.id'),
  handle: column.text('a.handle'),
  name: column.text.orNull('a.name'),
  createdAt: column.timestamptz('a.created_at'),
})
export const allUsers = statement({
  name: '',
  exact: 'server',
  columns: userColumns,
  text: `select ${userColumns.sql} from accounts a where a.kind = 'user' order by a.handle`,
})

const migrationColumns = columns({ name: column.text('migration_name::text') })
export const finishedMigrations = statement({
  name: '',
  exact: 'server',
  columns: migrationColumns,
  text: `select ${migrationColumns.sql} from _prisma_migrations where finished_at is not null order by migration_name`,
})
