/** Objects of runs in the store, under `runs/{run_id}/`. */
import { idTimeMs } from '@hub/formats/ids'
import { type JobObjectKind, madeAtMs } from '../../work/job-objects.ts'

export const RUN_PREFIX = 'runs/'

/** Key prefix of all objects of a run. */
export const runPrefix = (runId: string) => `${RUN_PREFIX}${runId}/`

/** `logs/` is the prefix that the run shows. */
export const runObjects = {
  logs: { prefix: RUN_PREFIX, folder: 'logs', extension: 'log', contentType: 'text/plain; charset=utf-8' },
  config: { prefix: RUN_PREFIX, folder: 'config', extension: 'yaml', contentType: 'application/yaml; charset=utf-8' },
  scorecard: {
    prefix: RUN_PREFIX,
    folder: 'scorecard',
    extension: 'json',
    contentType: 'application/json; charset=utf-8',
  },
  /** In place of its rows, once the run has ended and was still for long enough. */
  metrics: { prefix: RUN_PREFIX, folder: 'metrics', extension: 'zst', contentType: 'application/zstd' },
} as const satisfies Readonly<Record<string, JobObjectKind>>

/** Key of a run's metrics: one object, written when the run has ended, or by an import. */
export const metricsKey = (runId: string) => `${RUN_PREFIX}${runId}/metrics.jsonl`

/**
 * When an object was created, by the clock of the hub that created it (for metrics: when the run was created); null for
 * any other key.
 */
export function runObjectMadeAtMs(key: string): number | null {
  const [, runId] = /^runs\/(run_[0-9a-z]{26})\/metrics\.jsonl$/.exec(key) ?? []
  return runId === undefined ? madeAtMs(Object.values(runObjects), key) : idTimeMs(runId)
}
