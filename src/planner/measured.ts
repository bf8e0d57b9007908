/** What succeeded runs measured, as the planner asks for it. */

import type { TierTable } from '../platform/tier-table.ts'
import type { Querier, Statement } from '../store/db.ts'

/** Rolling means of succeeded runs of a template on a tier with a batch size (environments of an RL template). */
export interface Measured {
  readonly tier: string
  readonly batchSize: number
  readonly peakVramGb: number
  readonly samplesPerS: number
  readonly nRuns: number
}

const measuredOn: Statement<Measured> = {
  name: 'planner-measured',
  text: `select tier, batch as "batchSize", peak_vram_gb as "peakVramGb", samples_per_s as "samplesPerS", n_runs as "nRuns"
    from run_measurements where template = $1 and batch = $2 and tier = any($3::text[]) and samples_per_s > 0 and peak_vram_gb > 0`,
}

/** The measurements of a template with a batch size on the tiers of this deployment; one statement. */
export function readMeasured(db: Querier, template: string, batchSize: number, tiers: TierTable): Promise<Measured[]> {
  return db.query(measuredOn, [template, batchSize, tiers.map(({ tier }) => tier)])
}
