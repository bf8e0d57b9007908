/** Notices of the hub in a job's log. */
import type { Statement, Tx } from '../../store/db.ts'
import type { JobLog } from './job-log.ts'
import { countLines } from './log-lines.ts'

const insertNotice = ({ name, table, chunks }: JobLog): Statement<never> => ({
  name: `${name}-log-notice`,
  text: `with numbered as (
      update ${table} set log_seq = log_seq + 1, log_lines = log_lines + $3, log_bytes = log_bytes + $4, updated_at = now()
      where id = $1 returning log_seq, log_lines - $3 as first_line, attempt)
    insert into ${chunks.table} (${chunks.jobId}, seq, attempt, stream, text, byte_count, line_count, first_line, at)
    select $1, log_seq, attempt, 'stderr', $2, $4, $3, first_line, clock_timestamp() from numbered`,
})

/** Writes a sentence of the hub into the job's log, on stderr and without a call to the store. The caller holds the job's row lock and hints after the commit. */
export async function addNotice(tx: Tx, log: JobLog, jobId: string, sentence: string): Promise<void> {
  const text = `${sentence}\n`
  await tx.query(insertNotice(log), [jobId, text, countLines(text), Buffer.byteLength(text)])
}
