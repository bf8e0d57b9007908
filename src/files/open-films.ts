/**
 * The places of films of an account: of those that wait or are being made. A film takes one when it is asked for, and
 * takes it along when its repo moves. Contract, "Films of episodes".
 */
import { lockAccounts } from '../accounts/lock-accounts.ts'
import { HubError } from '../platform/errors.ts'
import { column, columns } from '../store/columns.ts'
import type { Tx } from '../store/db.ts'
import { param, statement } from '../store/statement.ts'
import { MAX_OPEN_FILMS } from './limits.ts'

const openColumns = columns({
  open: column.int4('count(*)::int'),
  /** Of the repo that asks. */
  own: column.int4('(count(*) filter (where repo_id = :repoId))::int'),
})

const countOpen = statement({
  name: 'episode-films-open',
  exact: 'in-transaction',
  columns: openColumns,
  params: { ownerId: param.text(), repoId: param.text() },
  text: `select ${openColumns.sql} from episode_films where owner_id = :ownerId and status in ('queued', 'running')`,
})

/**
 * 429 `quota.films` where films that this transaction adds to the account pass its limit: `asked` by a request, else all
 * open ones of a repo that it moves. Whatever else adds films to the account waits for its row.
 */
export async function assertOpenFilms(
  tx: Tx,
  { ownerId, repoId, asked = null }: { readonly ownerId: string; readonly repoId: string; readonly asked?: 1 | null },
): Promise<void> {
  await lockAccounts(tx, [ownerId])
  const [counted] = await tx.query(countOpen, { ownerId, repoId })
  if (!counted || counted.open <= MAX_OPEN_FILMS) return
  const added = asked ?? counted.own
  if (added > 0) throw tooMany(counted.open - added, asked === null ? added : null)
}

function tooMany(used: number, moved: number | null): HubError {
  const brought = moved === null ? '' : `; this repo would bring ${moved} more`
  const detail =
    `The account has ${used} films that wait or are being made, and may have ${MAX_OPEN_FILMS}${brought}: ` +
    'wait for some, or delete some.'
  return new HubError('quota.films', detail, { facts: { limit: MAX_OPEN_FILMS, used } })
}
