/** `if_none_match` and `if_match` of a completion (contract, "Uploads"). */
import { HubError, type PlainErrorType } from '../platform/errors.ts'
import { column, columns, type RowOf } from '../store/columns.ts'
import { param, statement } from '../store/statement.ts'
import type { CompletedUpload } from './schemas.ts'

type Conditional = Pick<CompletedUpload, 'path' | 'ifMatch' | 'ifNoneMatch'>

const liveColumns = columns({
  path: column.text('f.path'),
  size: column.int8('b.size'),
  /** Verified, or null. */
  sha256: column.text.orNull('b.sha256'),
})

export type LiveFile = RowOf<typeof liveColumns>

/** Files of a repo at some paths. */
export const liveFiles = statement({
  name: 'files-live',
  exact: 'in-transaction',
  columns: liveColumns,
  params: { repoId: param.text(), paths: param.texts() },
  text: `select ${liveColumns.sql} from files f join blobs b on b.id = f.blob_id
    where f.repo_id = :repoId and f.path = any(:paths::text[]) and f.to_seq is null`,
})

/** Whether the request has any condition. */
export function isConditional(named: readonly Conditional[]): boolean {
  return named.some((upload) => upload.ifMatch || upload.ifNoneMatch)
}

/**
 * 412 if a condition fails against `live`; 409 `conflict.unverified` if the digest is not known yet. `member` is the
 * list of the request.
 */
export function assertPreconditions(
  named: readonly Conditional[],
  live: readonly LiveFile[],
  member: 'uploads' | 'files' = 'uploads',
): void {
  const byPath = new Map(live.map((file) => [file.path, file]))
  const items = named.flatMap((upload, index) => {
    const fault = conditionFault(upload, byPath.get(upload.path))
    return fault ? [{ ...fault, loc: [member, index, fault.member] }] : []
  })
  const [first] = items
  if (first)
    throw new HubError(first.type, first.detail, {
      items: items.map(({ type, detail, loc }) => ({ type, detail, loc })),
    })
}

interface ConditionFault {
  readonly type: PlainErrorType
  readonly detail: string
  readonly member: 'ifMatch' | 'ifNoneMatch'
}

function conditionFault(upload: Conditional, live: LiveFile | undefined): ConditionFault | null {
  const path = JSON.stringify(upload.path)
  if (upload.ifNoneMatch && live) {
    return { type: 'precondition.failed', detail: `${path} already exists.`, member: 'ifNoneMatch' }
  }
  if (!upload.ifMatch) return null
  if (!live) return { type: 'precondition.failed', detail: `${path} does not exist.`, member: 'ifMatch' }
  if (live.sha256 === null) {
    return {
      type: 'conflict.unverified',
      detail: `The hub has not hashed ${path} yet; try again soon.`,
      member: 'ifMatch',
    }
  }
  if (live.sha256 === upload.ifMatch) return null
  return { type: 'precondition.failed', detail: `${path} now has a different SHA-256.`, member: 'ifMatch' }
}
