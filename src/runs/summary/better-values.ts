/** Which values of a metric are better, as far as its name says so. Pure. Contract, "Checkpoints and metrics". */
import type { MetricSummary } from './fold-lines.ts'

export type Better = 'lower' | 'higher'

const lower = new Set(['loss', 'losses', 'error', 'err', 'mse', 'rmse', 'mae', 'l1', 'l2', 'nll', 'perplexity', 'ppl'])
for (const word of ['kl', 'divergence', 'regret', 'distance', 'collision', 'collisions', 'failure', 'failures'])
  lower.add(word)
const higher = new Set(['reward', 'rewards', 'return', 'returns', 'success', 'successes', 'accuracy', 'acc', 'score'])
for (const word of ['f1', 'auc', 'iou', 'map', 'precision', 'recall', 'psnr', 'ssim', 'bleu', 'r2']) higher.add(word)

/** `val/lossTotal` has the words `val`, `loss`, `total`. */
const wordsOf = (key: string) =>
  key
    .replaceAll(/([a-z0-9])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .split(/[^a-z0-9]+/)

/**
 * By the last word of the key that says something: `reward_loss` is a loss, and the lower the better. Null where no
 * word does, as of `lr`.
 */
export function betterOf(key: string): Better | null {
  const word = wordsOf(key).findLast((one) => lower.has(one) || higher.has(one))
  if (word === undefined) return null
  return lower.has(word) ? 'lower' : 'higher'
}

/** The best value and its step; null where the name does not say which values are better. */
export function bestOf(summary: MetricSummary): { readonly value: number; readonly step: number } | null {
  const better = betterOf(summary.key)
  if (better === null) return null
  return better === 'lower'
    ? { value: summary.min, step: summary.minStep }
    : { value: summary.max, step: summary.maxStep }
}
