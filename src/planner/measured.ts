/**
 * Measurements of succeeded runs, as input of the planner: those of one account, and those that the hub itself
 * observed. Contract, "Planning and creating runs".
 */

import type { TierTable } from '../platform/tier-table.ts'
import { column, columns, type RowOf } from '../store/columns.ts'
import type { Querier } from '../store/db.ts'
import { param, statement } from '../store/statement.ts'

/** Whose measurements they are: of the account that is billed, or of the hub, which count for everyone. */
export type MeasuredBy = 'account' | 'hub'

const measuredColumns = columns({
  by: column.text<MeasuredBy>('m.measured_by'),
  tier: column.text('m.tier'),
  batchSize: column.int4('m.batch'),
  peakVramGb: column.float8('m.peak_vram_gb'),
  samplesPerS: column.float8('m.samples_per_s'),
  nRuns: column.int4('m.n_runs'),
})

/** Rolling means of succeeded runs of a template on a tier with a batch size (environments of an RL template). */
export type Measured = RowOf<typeof measuredColumns>

const measuredOn = statement({
  name: 'planner-measured',
  exact: 'aggregate',
  columns: measuredColumns,
  params: {
    accountId: param.text(),
    template: param.text(),
    batchSize: param.int4(),
    tiers: param.texts(),
  },
  text: `select ${measuredColumns.sql} from (
      select 'account' as measured_by, tier, batch, peak_vram_gb, samples_per_s, n_runs from account_measurements
        where account_id = :accountId and template = :template and batch = :batchSize and tier = any(:tiers::text[])
      union all
      select 'hub', tier, batch, peak_vram_gb, samples_per_s, n_runs from hub_measurements
        where template = :template and batch = :batchSize and tier = any(:tiers::text[])) m`,
})

/**
 * What was measured on the tiers of this deployment, for plans of this account: its own and the hub's, never another
 * account's. One statement.
 */
export function readMeasured(
  db: Querier,
  accountId: string,
  { template, batchSize, tiers }: { readonly template: string; readonly batchSize: number; readonly tiers: TierTable },
): Promise<Measured[]> {
  return db.query(measuredOn, { accountId, template, batchSize, tiers: tiers.map(({ tier }) => tier) })
}

/**
 * The measurement that a plan uses: the account's own before the hub's; of several that of the requested tier, else
 * that of the smallest. Null for none.
 */
export function pickMeasured(
  measured: readonly Measured[],
  requestedTier: string | null,
  tiers: TierTable,
): Measured | null {
  const own = measured.filter(({ by }) => by === 'account')
  const byTier = new Map((own.length > 0 ? own : measured).map((row) => [row.tier, row]))
  const order = [requestedTier ?? '', ...tiers.map(({ tier }) => tier)]
  return order.map((name) => byTier.get(name)).find((row) => row !== undefined) ?? null
}
