/** Measurements of succeeded runs, as input of the planner. */

import type { TierTable } from '../platform/tier-table.ts'
import { column, columns, type RowOf } from '../store/columns.ts'
import type { Querier } from '../store/db.ts'
import { param, statement } from '../store/statement.ts'

const measuredColumns = columns({
  tier: column<string>('tier'),
  batchSize: column<number>('batch'),
  peakVramGb: column<number>('peak_vram_gb'),
  samplesPerS: column<number>('samples_per_s'),
  nRuns: column<number>('n_runs'),
})

/** Rolling means of succeeded runs of a template on a tier with a batch size (environments of an RL template). */
export type Measured = RowOf<typeof measuredColumns>

const measuredOn = statement({
  name: 'planner-measured',
  columns: measuredColumns,
  params: { template: param<string>(), batchSize: param<number>(), tiers: param<readonly string[]>() },
  text: `select ${measuredColumns.sql} from run_measurements
    where template = :template and batch = :batchSize and tier = any(:tiers::text[]) and samples_per_s > 0 and peak_vram_gb > 0`,
})

/** The measurements of a template with a batch size on the tiers of this deployment; one statement. */
export function readMeasured(db: Querier, template: string, batchSize: number, tiers: TierTable): Promise<Measured[]> {
  return db.query(measuredOn, { template, batchSize, tiers: tiers.map(({ tier }) => tier) })
}
