/**
 * Adds the artifact sizes of runs without recorded sizes to the storage use. Only the object store knows these sizes.
 */
import type { Deps } from '../operation/context.ts'
import { metricsKey } from '../runs/log/run-objects.ts'
import { column, columns } from '../store/columns.ts'
import type { ObjectStore } from '../store/objects/object-store.ts'
import { param, statement } from '../store/statement.ts'
import { inBatches, turnOf } from './batches.ts'

const BATCH = 100

const unmeasuredColumns = columns({
  id: column.text('id'),
  configKey: column.text.orNull('config_key'),
  scorecardKey: column.text.orNull('scorecard_key'),
  isImport: column.bool("kind = 'external'"),
})

/** A batch of runs without recorded sizes, after an id. */
const unmeasured = statement({
  name: 'runs-unmeasured',
  exact: 'next-batch',
  columns: unmeasuredColumns,
  params: { after: param.text() },
  text: `select ${unmeasuredColumns.sql} from runs
    where id > :after and ((config_key is not null and config_bytes is null) or (scorecard_key is not null
      and scorecard_bytes is null)
      or (kind = 'external' and summary_bytes is null))
    order by id limit ${BATCH}`,
})

/**
 * Skips artifacts that a report has replaced in the meantime: the report counted its own. Ignores the quota, since the
 * bytes already exist.
 */
const countIn = statement({
  name: 'run-storage-count-in',
  params: {
    runId: param.text(),
    configKey: param.text.orNull(),
    configBytes: param.int4.orNull(),
    scorecardKey: param.text.orNull(),
    scorecardBytes: param.int4.orNull(),
    summaryBytes: param.int4.orNull(),
  },
  text: `with run as (select id, owner_id,
        case when config_key = :configKey and config_bytes is null then :configBytes::int end as config,
        case when scorecard_key = :scorecardKey and scorecard_bytes is null then :scorecardBytes::int end as scorecard,
        case when kind = 'external' and summary_bytes is null then :summaryBytes::int end as summary
      from runs where id = :runId for update),
    found as (select *, coalesce(config, 0) + coalesce(scorecard, 0) + coalesce(summary, 0) as bytes from run),
    room as (update accounts a set storage_bytes = a.storage_bytes + found.bytes from found where a.id = found.owner_id
      returning a.id)
    update runs u set stored_bytes = u.stored_bytes + found.bytes,
      config_bytes = coalesce(found.config, u.config_bytes),
      scorecard_bytes = coalesce(found.scorecard, u.scorecard_bytes),
        summary_bytes = coalesce(found.summary, u.summary_bytes)
    from found where u.id = found.id`,
})

/** Measures the remaining runs, or some of them until the next minute; one statement once all are done. */
export async function measureRuns(deps: Pick<Deps, 'db'>, objects: ObjectStore, signal: AbortSignal): Promise<void> {
  const sizeOf = async (key: string | null) =>
    key === null ? null : ((await objects.head(key, signal))?.sizeBytes ?? 0)
  let after = ''
  await inBatches(turnOf(signal), BATCH, async () => {
    const runs = await deps.db.query(unmeasured, { after })
    for (const { id, configKey, scorecardKey, isImport } of runs) {
      signal.throwIfAborted()
      const [configBytes, scorecardBytes, summaryBytes] = await Promise.all([
        sizeOf(configKey),
        sizeOf(scorecardKey),
        sizeOf(isImport ? metricsKey(id) : null),
      ])
      const sizes = { configBytes, scorecardBytes, summaryBytes }
      await deps.db.query(countIn, { runId: id, configKey, scorecardKey, ...sizes })
    }
    after = runs.at(-1)?.id ?? after
    return runs.length
  })
}
