/** The run that a commit says it is from. */
import { isId } from '@hub/formats/ids'
import { runViewer, runVisibleSql, visibleRuns } from '../../auth/policy.ts'
import type { RequestContext } from '../../operation/context.ts'
import { invalid } from '../../platform/errors.ts'
import type { RepoFacts } from '../../repos/get-repo.ts'
import { column, columns } from '../../store/columns.ts'
import { param, statement } from '../../store/statement.ts'

const idColumn = columns({ id: column.text('u.id') })

const seenRun = statement({
  name: 'commit-run',
  exact: 'database-clock',
  columns: idColumn,
  params: { ...runViewer, id: param.text() },
  text: `select ${idColumn.sql} from runs u where u.id = :id and ${runVisibleSql('u')}`,
})

const refused = (why: string) => invalid('validation.value', why, ['runId'])

/**
 * 422 for a run that the caller does not see, and in a repo that no run makes. A caller who sees a run has made it, or
 * belongs to the account that paid for it.
 */
export async function assertRunOfCommit(
  { deps, viewer }: RequestContext,
  { kind, fullName }: RepoFacts,
  runId: string,
): Promise<void> {
  if (kind !== 'model') throw refused(`${fullName} is a ${kind} repo; a run makes versions of a model repo.`)
  const [run] = isId('run', runId) ? await deps.db.query(seenRun, { ...visibleRuns(viewer), id: runId }) : []
  if (!run) throw refused(`There is no run ${runId.slice(0, 64)} that you see. List your runs, or leave it out.`)
}
