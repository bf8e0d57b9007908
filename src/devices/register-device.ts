/** Devices: robots of an account, which use endpoints under a person's approval. Contract, "Devices". */

import { newId } from '@hub/formats/ids'
import { fullNameText, wordText } from '@hub/formats/text-rules'
import { findManagedAccount } from '../accounts/find-account.ts'
import { assertStillInOrg } from '../accounts/org-members.ts'
import { assertSession } from '../auth/policy.ts'
import { type AuditContext, audit } from '../operation/audit.ts'
import { commitVerb, guarded } from '../operation/commit-verb.ts'
import type { AccountRef, RequestContext } from '../operation/context.ts'
import { HubError, invalid, notFound } from '../platform/errors.ts'
import { column, columns } from '../store/columns.ts'
import type { Querier } from '../store/db.ts'
import { insertInto } from '../store/insert.ts'
import { param, statement } from '../store/statement.ts'

export interface NewDevice {
  /** 1 to 64 characters, unique for the owner. */
  readonly name: string
  /** Full name of the robot repo that describes it. */
  readonly robotRepo?: string | null
}

export interface RegisteredDevice {
  readonly id: string
  readonly name: string
  readonly robotRepo: string | null
}

const robotColumns = columns({ id: column.text('r.id'), kind: column.enum('RepoKind', 'r.kind') })
const findRobot = statement({
  name: 'device-robot',
  exact: 'in-transaction',
  columns: robotColumns,
  params: { ownerId: param.text(), handle: param.text(), slug: param.text() },
  text: `select ${robotColumns.sql} from repos r join accounts o on o.id = r.owner_id
    where o.handle = :handle and r.slug = :slug
      and (r.visibility = 'public' or r.owner_id = :ownerId
      or r.owner_id in (select org_id from memberships where user_id = :ownerId))`,
})
const insertedColumns = columns({ id: column.text('id') })

const deviceRow = insertInto('devices', {
  id: param.text(),
  ownerId: param.text(),
  name: param.text(),
  robotRepoId: param.text.orNull(),
  robotRepoName: param.text.orNull(),
  createdBy: param.text.orNull(),
})

const insertDevice = statement({
  name: 'device-insert',
  columns: insertedColumns,
  params: deviceRow.params,
  text: `${deviceRow.sql} on conflict (owner_id, name) do nothing returning ${insertedColumns.sql}`,
})

/** The id of a robot repo that the owner of the device can see. Errors: 404, 409 `conflict.wrong_kind`. */
async function robotOf(tx: Querier, owner: AccountRef, fullName: string): Promise<string> {
  if (!fullNameText.safeParse(fullName).success)
    throw invalid('validation.value', 'A robot repo is named owner/slug.', ['robotRepo'])
  const [handle = '', slug = ''] = fullName.split('/')
  const [repo] = await tx.query(findRobot, { ownerId: owner.id, handle, slug })
  if (!repo) throw notFound(`The repo ${fullName}`)
  if (repo.kind === 'robot') return repo.id
  throw new HubError('conflict.wrong_kind', `${fullName} is a ${repo.kind} repo; a device names a robot repo.`)
}

/** Adds a device to an account. Errors: 404 and 409 of its robot repo, 409 `conflict.taken`, 422. */
export async function addDevice({
  tx,
  ctx,
  owner,
  createdBy,
  input: { name, robotRepo = null },
}: {
  readonly tx: Querier
  readonly ctx: AuditContext
  readonly owner: AccountRef
  readonly createdBy: string | null
  readonly input: NewDevice
}): Promise<RegisteredDevice> {
  if (!wordText.safeParse(name).success)
    throw invalid('validation.value', 'The name of a device has 1 to 64 characters.', ['name'])
  const robotRepoId = robotRepo === null ? null : await robotOf(tx, owner, robotRepo)
  const [device] = await tx.query(insertDevice, {
    id: newId('dev'),
    ownerId: owner.id,
    name,
    robotRepoId,
    robotRepoName: robotRepo,
    createdBy,
  })
  if (!device)
    throw new HubError('conflict.taken', `${owner.handle} has a device ${name} already; choose another name.`)
  const after = { name, robotRepo, robotRepoId }
  await audit(tx, ctx, { action: 'device.register', accountId: owner.id, targetId: device.id, after })
  return { id: device.id, name, robotRepo }
}

/**
 * registerDevice, for the session's person or, with `owner`, one of their orgs. Errors: 401, 403 for a key or a
 * non-member, and those of `addDevice`.
 */
export function registerDevice(
  ctx: RequestContext,
  input: NewDevice & { readonly owner?: string | null },
): Promise<RegisteredDevice> {
  return guarded(
    ctx,
    async () => ({
      personId: assertSession(ctx.viewer).personId,
      owner: await findManagedAccount(ctx, input.owner ?? null),
    }),
    (allowed, { personId, owner }) =>
      commitVerb(allowed, async (tx) => {
        if (owner.kind === 'org') await assertStillInOrg(tx, owner, personId)
        return addDevice({ tx, ctx: allowed, owner, createdBy: personId, input })
      }),
  )
}
