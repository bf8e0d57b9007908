/** setAvatar: the picture of a person or an org. Contract, "Profiles". */
import { assertStillInOrg } from '../accounts/org-members.ts'
import { countBytes } from '../files/reservation.ts'
import { audit } from '../operation/audit.ts'
import { commitVerb, guarded } from '../operation/commit-verb.ts'
import type { AllowedContext, RequestContext } from '../operation/context.ts'
import { HubError, invalid } from '../platform/errors.ts'
import { column, columns } from '../store/columns.ts'
import type { Tx } from '../store/db.ts'
import { param, statement } from '../store/statement.ts'
import { deleteAfterCommit, forgetRefused, putJobObject } from '../work/job-objects.ts'
import { avatarObjects } from './avatar-objects.ts'
import { imageFacts } from './image-facts.ts'
import { findOwnAccount, type OwnAccount } from './own-account.ts'

export const MAX_AVATAR_BYTES = 256 * 1024
const MAX_AVATAR_SIDE = 1024

interface NewAvatar {
  readonly account?: string | null
  /** Base64; null removes the picture. */
  readonly image?: string | null
}

const heldColumns = columns({ key: column.text.orNull('avatar_key'), bytes: column.int4('avatar_bytes') })

/** The row's lock orders two tabs: the one that comes second replaces the picture of the first. */
const hold = statement({
  name: 'avatar-hold',
  columns: heldColumns,
  params: { id: param.text() },
  text: `select ${heldColumns.sql} from accounts where id = :id for no key update`,
})

const put = statement({
  name: 'avatar-put',
  params: { id: param.text(), key: param.text.orNull(), bytes: param.int4() },
  text: 'update accounts set avatar_key = :key, avatar_bytes = :bytes where id = :id',
})

/**
 * Errors: 401, 403 for a key and for a caller who does not own the account, 404, 413 `quota.storage`, 422 for what is not a small
 * still image, 503.
 */
export function setAvatar(ctx: RequestContext, input: NewAvatar): Promise<{ readonly id: string }> {
  return guarded(
    ctx,
    () => findOwnAccount(ctx, input.account ?? null),
    async (allowed, owner) => {
      const image = input.image == null ? null : readImage(input.image)
      const { signal, deps } = ctx
      const key =
        image && (await putJobObject(deps, avatarObjects[image.type], { jobId: owner.id, bytes: image.bytes, signal }))
      try {
        return await commitVerb(allowed, (tx) => replace(tx, allowed, owner, { key, bytes: image?.bytes.length ?? 0 }))
      } catch (error) {
        await forgetRefused(ctx, key === null ? [] : [key], error)
        throw error
      }
    },
  )
}

async function replace(
  tx: Tx,
  ctx: AllowedContext,
  { id, kind, handle, personId }: OwnAccount,
  { key, bytes }: { readonly key: string | null; readonly bytes: number },
): Promise<{ readonly id: string }> {
  if (kind === 'org') await assertStillInOrg(tx, { id, kind, handle, name: null }, personId, 'owner')
  const [held] = await tx.query(hold, { id })
  if (!held || (key === null && held.key === null)) return { id }
  await countBytes(tx, ctx.deps.config, id, bytes - held.bytes)
  await tx.query(put, { id, key, bytes })
  deleteAfterCommit(ctx.deps, tx, [held.key])
  const action = key === null ? 'avatar.remove' : 'avatar.set'
  await audit(tx, ctx, { action, accountId: id, targetId: id, after: { bytes } })
  return { id }
}

function readImage(base64: string) {
  const bytes = Buffer.from(base64, 'base64')
  if (bytes.length > MAX_AVATAR_BYTES)
    throw new HubError('too_large', `A picture has at most ${MAX_AVATAR_BYTES} bytes; this one has ${bytes.length}.`, {
      facts: { unit: 'bytes', limit: MAX_AVATAR_BYTES, used: bytes.length },
    })
  const facts = imageFacts(bytes)
  if (!facts) throw refused('A picture is a still PNG, JPEG or WebP image.')
  const { width, height } = facts
  if (Math.min(width, height) < 1 || Math.max(width, height) > MAX_AVATAR_SIDE)
    throw refused(`A picture has 1 to ${MAX_AVATAR_SIDE} pixels on a side; this one has ${width} × ${height}.`)
  return { type: facts.type, bytes }
}

const refused = (detail: string) => invalid('validation.value', detail, ['image'])
