/** Adds the measurements of a succeeded run to the rolling mean of its template, tier and batch size. Spec, recommendRun; contract, "Reports". */

import { resolveInputs } from '../../planner/inputs.ts'
import { findTemplate } from '../../planner/templates.ts'
import type { Config } from '../../platform/config.ts'
import type { Tx } from '../../store/db.ts'
import { param, statement } from '../../store/statement.ts'
import type { LockedRun } from './report-rows.ts'

const addMeasurement = statement({
  name: 'run-measurement-add',
  params: {
    template: param<string>(),
    tier: param<string | null>(),
    batchSize: param<number>(),
    peakVramGb: param<number>(),
    samplesPerS: param<number>(),
  },
  text: `insert into run_measurements as m (template, tier, batch, peak_vram_gb, samples_per_s, n_runs)
    values (:template, :tier, :batchSize, :peakVramGb, :samplesPerS, 1)
    on conflict (template, tier, batch) do update set n_runs = m.n_runs + 1, updated_at = now(),
      peak_vram_gb = m.peak_vram_gb + (excluded.peak_vram_gb - m.peak_vram_gb) / (m.n_runs + 1),
      samples_per_s = m.samples_per_s + (excluded.samples_per_s - m.samples_per_s) / (m.n_runs + 1)`,
})

export interface MeasuredValues {
  readonly peakVramGb: number | null
  readonly samplesPerS: number | null
  readonly gpuTier: string | null
}

/** Adds both numbers, if both were reported and the hub knows the template and the tier: a tier that only a worker names is not reliable. */
export async function addMeasurements(tx: Tx, config: Config, run: LockedRun, measured: MeasuredValues): Promise<void> {
  const tier = measured.gpuTier ?? run.gpuType
  const template = findTemplate(run.template, config.runs.extraTemplates)
  if (!template || !config.tiers.some((known) => known.tier === tier)) return
  const { peakVramGb, samplesPerS } = measured
  if (peakVramGb === null || samplesPerS === null || peakVramGb <= 0 || samplesPerS <= 0) return
  const { batchSize } = resolveInputs(template, run.recipe, null).inputs
  await tx.query(addMeasurement, { template: run.template, tier, batchSize, peakVramGb, samplesPerS })
}
