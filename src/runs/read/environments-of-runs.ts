/** What runs were made with: command, code, packages and machine, as their first report of it said. */
import type { RequestContext } from '../../operation/context.ts'
import { column, columns } from '../../store/columns.ts'
import { param, statement } from '../../store/statement.ts'

const environmentColumns = columns({
  id: column.text('u.id'),
  environment: column.document<Readonly<Record<string, unknown>>>('u.environment'),
})

const environments = statement({
  name: 'run-environments',
  exact: 'per-parent',
  columns: environmentColumns,
  params: { ids: param.texts() },
  text: `select ${environmentColumns.sql} from runs u where u.id = any(:ids::text[]) and u.environment is not null`,
})

/** For each run in the order of `ids`, which the caller sees: its environment, or null. One statement. */
export async function environmentsOfRuns({ deps }: RequestContext, ids: readonly string[]): Promise<unknown[]> {
  const found = new Map((await deps.db.query(environments, { ids })).map((row) => [row.id, row.environment.value]))
  return ids.map((id) => found.get(id) ?? null)
}
