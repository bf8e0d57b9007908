/** updateProfile: what a person or an org is called, and a person's email. Contract, "Profiles". */
import { assertStillInOrg } from '../accounts/org-members.ts'
import { audit } from '../operation/audit.ts'
import { commitVerb, guarded } from '../operation/commit-verb.ts'
import type { RequestContext } from '../operation/context.ts'
import { invalid } from '../platform/errors.ts'
import { column, columns } from '../store/columns.ts'
import { param, statement } from '../store/statement.ts'
import { findOwnAccount } from './own-account.ts'

/** What is absent stays; null takes it away. */
interface ProfileChange {
  readonly account?: string | null
  readonly name?: string | null
  readonly email?: string | null
}

const profileColumns = columns({ name: column.text.orNull('name'), email: column.text.orNull('email') })

const hold = statement({
  name: 'profile-hold',
  columns: profileColumns,
  params: { id: param.text() },
  text: `select ${profileColumns.sql} from accounts where id = :id for no key update`,
})

const update = statement({
  name: 'profile-update',
  params: { id: param.text(), name: param.text.orNull(), email: param.text.orNull() },
  text: 'update accounts set name = :name, email = :email where id = :id',
})

/**
 * The audit log says that an email was changed, and not to which: its entries are kept for good. Errors: 401, 403 for a
 * key and for who does not own the account, 404, 422 for the email of an org.
 */
export function updateProfile(ctx: RequestContext, input: ProfileChange): Promise<{ readonly id: string }> {
  return guarded(
    ctx,
    () => findOwnAccount(ctx, input.account ?? null),
    (allowed, { id, kind, handle, personId }) => {
      if (kind === 'org' && input.email != null)
        throw invalid('validation.value', 'Only a person has an email.', ['email'])
      return commitVerb(allowed, async (tx) => {
        if (kind === 'org') await assertStillInOrg(tx, { id, kind, handle, name: null }, personId, 'owner')
        const [held = { name: null, email: null }] = await tx.query(hold, { id })
        const { name = held.name, email = held.email } = input
        const isEmailChanged = email !== held.email
        if (name === held.name && !isEmailChanged) return { id }
        await tx.query(update, { id, name, email })
        const entry = { action: 'profile.update', accountId: id, targetId: id }
        await audit(tx, allowed, { ...entry, before: { name: held.name }, after: { name, isEmailChanged } })
        return { id }
      })
    },
  )
}
