/** Sizes of bytes that a commit names by their digest alone. */
import { column, columns } from '../../store/columns.ts'
import type { Querier } from '../../store/db.ts'
import { param, statement } from '../../store/statement.ts'
import { openStates, sqlStates } from '../upload-state.ts'

const sizeColumns = columns({ sha256: column.text('s.sha256'), size: column.int8('s.size') })

const sizesInRepo = statement({
  name: 'commit-sizes',
  exact: 'hot',
  columns: sizeColumns,
  params: { repoId: param.text(), digests: param.texts() },
  text: `select ${sizeColumns.sql} from (select u.sha256, u.size from uploads u where u.repo_id = :repoId and u.path = ''
        and u.sha256 = any(:digests::text[]) and u.state in (${sqlStates(openStates)})
      union select b.sha256, b.size from blobs b where b.sha256 = any(:digests::text[]) and b.sha256 is not null
        and b.state = 'live'
        and exists (select 1 from files f where f.blob_id = b.id and f.repo_id = :repoId and f.to_seq is null)) s`,
})

/** Of bytes that were sent to the repo ahead, or are in one of its files. One statement, none for no digests. */
export async function sizesOf(
  querier: Querier,
  repoId: string,
  digests: readonly string[],
): Promise<ReadonlyMap<string, number>> {
  if (digests.length === 0) return new Map()
  const rows = await querier.query(sizesInRepo, { repoId, digests })
  return new Map(rows.map(({ sha256, size }) => [sha256, size]))
}
