/**
 * Reads the READMEs whose cards no change has read: those of an older hub, those that the store did not give, and those
 * that another change brought meanwhile. `repos.card_pending` is the list of them, so a process that dies leaves it as
 * it is.
 */
import { readReadme } from '../files/read-readme.ts'
import type { Deps } from '../operation/context.ts'
import { lockRepo } from '../repos/get-repo.ts'
import { keepCard, type ReadReadme, showCard } from '../repos/readme/kept-cards.ts'
import { README_PATH } from '../repos/readme/readme-card.ts'
import { column, columns, type RowOf } from '../store/columns.ts'
import type { ObjectStore } from '../store/objects/object-store.ts'
import { param, statement } from '../store/statement.ts'

const BATCH = 100

const pendingColumns = columns({
  repoId: column.text('r.id'),
  storageKey: column.text.orNull('b.storage_key'),
  size: column.int8.orNull('b.size'),
  sha256: column.text.orNull('b.sha256'),
})

const pending = statement({
  name: 'repos-card-pending',
  exact: 'next-batch',
  columns: pendingColumns,
  params: { after: param.text(), limit: param.int4() },
  text: `select ${pendingColumns.sql} from repos r
    left join (files f join blobs b on b.id = f.blob_id)
      on f.repo_id = r.id and f.path = '${README_PATH}' and f.to_seq is null
    where r.card_pending and r.id > :after order by r.id limit :limit::int`,
})

/** Reads each of them once, in the order of their repos. What the store does not give stays for the next time. */
export async function readPendingReadmes(deps: Deps, objects: ObjectStore, signal: AbortSignal): Promise<void> {
  for (let after = ''; ; ) {
    const rows = await deps.db.query(pending, { after, limit: BATCH })
    for (const row of rows) {
      signal.throwIfAborted()
      await settle(deps, objects, row, signal)
    }
    const last = rows.at(-1)
    if (!last || rows.length < BATCH) return
    after = last.repoId
  }
}

async function settle(
  deps: Deps,
  objects: ObjectStore,
  { repoId, storageKey, size, sha256 }: RowOf<typeof pendingColumns>,
  signal: AbortSignal,
): Promise<void> {
  const stored = storageKey !== null && size !== null ? { storageKey, size, sha256 } : null
  const read = stored && (await readReadme({ deps, signal }, objects, stored))
  if (stored && !read) return
  await showRead(deps, repoId, read)
}

/** The repo shows the card of the README.md that it has by then; if that is another one, it waits once more. */
async function showRead(deps: Deps, repoId: string, read: ReadReadme | null): Promise<void> {
  await deps.db.withTx(async (tx) => {
    if (!(await lockRepo(tx, repoId))) return
    if (read) await keepCard(tx, repoId, read)
    await showCard(tx, repoId)
    tx.afterCommit(() => deps.events.hint(repoId))
  })
}
