/** Reads a check for publication: without its row lock to refuse early, and under the lock to decide. */
import type { ErrorItem } from '../../platform/errors.ts'
import { HubError, notFound } from '../../platform/errors.ts'
import type { Querier } from '../../store/db.ts'
import { param, statement } from '../../store/statement.ts'
import { type CheckRow, checkColumns, checkTables, publishFactsOf } from '../check-shape.ts'
import { publishBlockers } from '../publish-blockers.ts'

const publishable = statement({
  name: 'robot-check-publishable',
  exact: 'in-transaction',
  columns: checkColumns,
  params: { checkId: param.text() },
  text: `select ${checkColumns.sql} from ${checkTables} where u.id = :checkId`,
})

/** Does not check visibility: the verb has already found that the caller sees the check. */
export async function readPublishable(querier: Querier, checkId: string): Promise<CheckRow> {
  const [row] = await querier.query(publishable, { checkId })
  if (!row) throw notFound(`The check ${checkId}`)
  return row
}

/** 409 with every reason in `errors[]`, the first one as its type. */
export function assertPublishable(row: CheckRow): void {
  const blockers = publishBlockers(publishFactsOf(row))
  const [first] = blockers
  if (!first) return
  const items = blockers.map(({ type, detail, names }): ErrorItem => ({ type, detail, names }))
  throw new HubError(first.type, blockers.map(({ detail }) => detail).join(' '), { items })
}
