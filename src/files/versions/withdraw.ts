/**
 * Withdraws bytes from every state of their repos. Rows of `files` become rows of `withdrawn_files`, which record what
 * was there, and the counts of the states that had these files decrease. Nothing reads the bytes afterwards.
 */
import { column, columns, type RowOf } from '../../store/columns.ts'
import type { Tx } from '../../store/db.ts'
import { insertSelected, sql } from '../../store/insert.ts'
import { param, statement } from '../../store/statement.ts'

const withdrawnColumns = columns({
  repoId: column.text('g.repo_id'),
  path: column.text('g.path'),
  size: column.int8('b.size'),
  /** As claimed by the client. */
  claimed: column.text('b.claimed'),
  isVerified: column.bool('b.sha256 is not null'),
  blobId: column.text('b.id'),
  /** Whether this row was the live file at its path. */
  wasLive: column.bool('g.was_live'),
})

export type WithdrawnRow = RowOf<typeof withdrawnColumns>

const withdrawnRow = insertSelected('withdrawn_files', {
  repoId: sql('g.repo_id'),
  path: sql('g.path'),
  fromSeq: sql('g.from_seq'),
  toSeq: sql('g.to_seq'),
  size: sql('b.size'),
  sha256: sql('b.claimed'),
  reason: param.enum('WithdrawalReason'),
})

/**
 * A live row ends at the repo's next change, which the caller records. A deleted repo has no states, so nothing is
 * recorded about its files.
 */
const withdrawSql = (condition: string) => `with gone as (delete from files f where ${condition}
        returning f.repo_id, f.path, f.from_seq, f.to_seq is null as was_live, f.blob_id,
          coalesce(f.to_seq, (select r.seq + 1 from repos r where r.id = f.repo_id)) as to_seq),
      noted as (${withdrawnRow.sql} from gone g
          join repos r on r.id = g.repo_id join blobs b on b.id = g.blob_id
        returning repo_id, from_seq, to_seq, size),
      counted as (update repo_changes c set file_count = c.file_count - n.files, total_bytes = c.total_bytes - n.bytes,
        withdrawn_count = c.withdrawn_count + n.files
        from (select c.repo_id, c.seq, count(*)::int as files, sum(w.size)::int8 as bytes from noted w
          join repo_changes c on c.repo_id = w.repo_id and c.seq >= w.from_seq and c.seq < w.to_seq
            group by c.repo_id, c.seq) n
        where c.repo_id = n.repo_id and c.seq = n.seq)
      select ${withdrawnColumns.sql} from gone g join blobs b on b.id = g.blob_id
        order by g.repo_id, g.path, g.from_seq`

const ofBlob = statement({
  name: 'files-withdraw-blob',
  exact: 'in-transaction',
  columns: withdrawnColumns,
  params: { ...withdrawnRow.params, blobId: param.text() },
  text: withdrawSql('f.blob_id = :blobId'),
})

/** Withdraws every row of a blob, in all repos; the caller has locked these repos. */
export function withdrawBlob(tx: Tx, blobId: string): Promise<WithdrawnRow[]> {
  return tx.query(ofBlob, { reason: 'rejected', blobId })
}

const ofPaths = statement({
  name: 'files-withdraw-paths',
  exact: 'in-transaction',
  columns: withdrawnColumns,
  params: { ...withdrawnRow.params, repoId: param.text(), paths: param.texts() },
  text: withdrawSql('f.repo_id = :repoId and f.path = any(:paths::text[])'),
})

/** Withdraws every row of these paths in a repo that the caller has locked. */
export function withdrawPaths(tx: Tx, repoId: string, paths: readonly string[]): Promise<WithdrawnRow[]> {
  return tx.query(ofPaths, { reason: 'purged', repoId, paths })
}
