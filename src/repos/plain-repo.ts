/** What a repo has that nothing is computed for: its stored columns, and the members that they make. */
import type { AccountRef } from '../operation/context.ts'
import { column, columns, type RowOf } from '../store/columns.ts'
import { texts } from '../store/read-json.ts'

export type RepoKind = 'dataset' | 'model' | 'robot'
export type Visibility = 'private' | 'public'

/** `totalBytes` in bytes; `verifiedCount` counts files whose SHA-256 the hub computed itself. */
export interface FileSummary {
  readonly count: number
  readonly totalBytes: number
  readonly verifiedCount: number
}

/** Columns of `repos r join accounts o on o.id = r.owner_id` that nothing is computed for. */
export const plainColumns = columns({
  id: column.text('r.id'),
  kind: column.enum('RepoKind', 'r.kind'),
  ownerId: column.text('o.id'),
  ownerKind: column.enum('AccountKind', 'o.kind'),
  ownerHandle: column.text('o.handle'),
  ownerName: column.text.orNull('o.name'),
  slug: column.text('r.slug'),
  hfName: column.text.orNull('r.hf_name'),
  visibility: column.enum('Visibility', 'r.visibility'),
  description: column.text.orNull('r.description'),
  tags: column.json('to_json(r.tags)', texts),
  fileCount: column.int4('r.file_count'),
  totalBytes: column.int8('r.total_bytes'),
  verifiedCount: column.int4('r.verified_count'),
  createdAt: column.timestamptz('r.created_at'),
  updatedAt: column.timestamptz('r.updated_at'),
})

export type PlainRow = RowOf<typeof plainColumns>

/** The fields of the graph that a repo of plain columns has. */
export const plainMembers: ReadonlySet<string> = new Set([
  'id',
  'kind',
  'owner',
  'slug',
  'hfName',
  'fullName',
  'visibility',
  'description',
  'tags',
  'fileSummary',
  'createdAt',
  'updatedAt',
  // By the repo's id.
  'files',
])

/** What the plain columns say of a repo. */
export class PlainRepo {
  readonly id: string
  readonly kind: RepoKind
  readonly owner: AccountRef
  readonly slug: string
  /** The name as another client gave it; null if that is the slug. */
  readonly hfName: string | null
  readonly fullName: string
  readonly visibility: Visibility
  readonly description: string | null
  readonly tags: readonly string[]
  readonly fileSummary: FileSummary
  readonly createdAt: string
  readonly updatedAt: string

  constructor(row: PlainRow) {
    this.id = row.id
    this.kind = row.kind
    this.owner = { id: row.ownerId, kind: row.ownerKind, handle: row.ownerHandle, name: row.ownerName }
    this.slug = row.slug
    this.hfName = row.hfName
    this.fullName = `${row.ownerHandle}/${row.slug}`
    this.visibility = row.visibility
    this.description = row.description
    this.tags = row.tags
    this.fileSummary = { count: row.fileCount, totalBytes: row.totalBytes, verifiedCount: row.verifiedCount }
    this.createdAt = row.createdAt
    this.updatedAt = row.updatedAt
  }
}
