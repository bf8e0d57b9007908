/** The person behind a publication, with the handle and name of that time. */
import { requireCredential } from '../../auth/policy.ts'
import type { AccountRef, Viewer } from '../../operation/context.ts'
import { column, columns } from '../../store/columns.ts'
import type { Querier } from '../../store/db.ts'
import { param, statement } from '../../store/statement.ts'

const personColumns = columns({
  id: column.text('a.id'),
  kind: column.enum('AccountKind', 'a.kind'),
  handle: column.text('a.handle'),
  name: column.text.orNull('a.name'),
})

const personById = statement({
  name: 'robot-check-publisher',
  exact: 'in-transaction',
  columns: personColumns,
  params: { personId: param.text() },
  text: `select ${personColumns.sql} from accounts a where a.id = :personId`,
})

/** Null for a key without a person, which the operator made for an org. */
export async function publisherOf(querier: Querier, viewer: Viewer): Promise<AccountRef | null> {
  const { personId } = requireCredential(viewer)
  const [person] = personId === null ? [] : await querier.query(personById, { personId })
  return person ?? null
}
