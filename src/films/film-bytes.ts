/** The bytes of films that go: they count no more, and their objects are removed. */
import { countBytes } from '../files/reservation.ts'
import type { Deps } from '../operation/context.ts'
import type { RepoFacts } from '../repos/get-repo.ts'
import { column, columns, type RowOf } from '../store/columns.ts'
import type { Tx } from '../store/db.ts'
import { param, statement } from '../store/statement.ts'
import { abortAfterCommit, deleteAfterCommit } from '../work/job-objects.ts'

/** Adds to the bytes of a repo's films; its row is locked. */
export const countFilmBytes = statement({
  name: 'repo-film-bytes',
  params: { repoId: param.text(), bytes: param.int8() },
  text: 'update repos set film_bytes = film_bytes + :bytes::bigint where id = :repoId',
})

/** Of a row of `episode_films` that is deleted, as it was last. */
export const removedColumns = columns({
  status: column.enum('JobStatus', 'status'),
  storageKey: column.text.orNull('storage_key'),
  storeUploadId: column.text.orNull('store_upload_id'),
  bytes: column.int4("case when status = 'succeeded' then size else 0 end"),
})

export type RemovedFilm = RowOf<typeof removedColumns>

/** Of rows that this transaction deleted, with the lock of their repo: each is released once. */
export async function releaseFilms(
  deps: Pick<Deps, 'config' | 'db' | 'objects' | 'log'>,
  tx: Tx,
  { id: repoId, ownerId }: Pick<RepoFacts, 'id' | 'ownerId'>,
  removed: readonly RemovedFilm[],
): Promise<void> {
  const bytes = removed.reduce((sum, one) => sum + one.bytes, 0)
  if (bytes > 0) {
    await tx.query(countFilmBytes, { repoId, bytes: -bytes })
    await countBytes(tx, deps.config, ownerId, -bytes)
  }
  const isThere = ({ status }: RemovedFilm) => status === 'succeeded'
  deleteAfterCommit(
    deps,
    tx,
    removed.filter(isThere).map(({ storageKey }) => storageKey),
  )
  abortAfterCommit(
    deps,
    tx,
    removed.filter((one) => !isThere(one)),
  )
}
