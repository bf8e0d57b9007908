/** Pictures of accounts in the object store, under `avatars/{account_id}/`. */
import { isId } from '@hub/formats/ids'
import { column, columns } from '../store/columns.ts'
import type { Db } from '../store/db.ts'
import { param, statement } from '../store/statement.ts'
import type { JobObjectKind } from '../work/job-objects.ts'
import type { ImageType } from './image-facts.ts'

export const AVATAR_PREFIX = 'avatars/'
const FOLDER = 'images'

/** A kind of object for each type of image, so that the key tells the type. */
export const avatarObjects = {
  png: { prefix: AVATAR_PREFIX, folder: FOLDER, extension: 'png', contentType: 'image/png' },
  jpeg: { prefix: AVATAR_PREFIX, folder: FOLDER, extension: 'jpeg', contentType: 'image/jpeg' },
  webp: { prefix: AVATAR_PREFIX, folder: FOLDER, extension: 'webp', contentType: 'image/webp' },
} as const satisfies Readonly<Record<ImageType, JobObjectKind>>

/** The path of a picture below the address of the hub; null without one. A new picture has a new path. */
export function avatarPath(accountId: string, key: string | null): string | null {
  return key === null ? null : `/users/${accountId}/avatar/${key.slice(key.lastIndexOf('/') + 1)}`
}

const keyColumns = columns({ id: column.text('a.id'), key: column.text.orNull('a.avatar_key') })

const avatarKeys = statement({
  name: 'avatar-keys',
  exact: 'per-parent',
  columns: keyColumns,
  params: { ids: param.texts() },
  text: `select ${keyColumns.sql} from accounts a where a.id = any(:ids::text[]) and a.avatar_key is not null`,
})

/** Paths of the pictures of accounts, in their order; null for one without. One statement for any number. */
export async function avatarPaths(db: Db, ids: readonly string[]): Promise<(string | null)[]> {
  const rows = await db.query(avatarKeys, { ids })
  const byId = new Map(rows.map(({ id, key }) => [id, key]))
  return ids.map((id) => avatarPath(id, byId.get(id) ?? null))
}

interface StoredAvatar {
  readonly key: string
  readonly contentType: string
}

/** The picture at a path, as long as it is that of the account; null for all else. One statement, or none. */
export async function findAvatar(db: Db, accountId: string, name: string): Promise<StoredAvatar | null> {
  const kind = Object.values(avatarObjects).find(({ extension }) => name.endsWith(`.${extension}`))
  if (!kind || !(isId('user', accountId) || isId('org', accountId))) return null
  const [row] = await db.query(avatarKeys, { ids: [accountId] })
  const isOf = row?.key === `${AVATAR_PREFIX}${accountId}/${FOLDER}/${name}`
  return isOf && row.key !== null ? { key: row.key, contentType: kind.contentType } : null
}
