/** By what and in which order a list of runs is sorted. Pure. Contract, "Reading runs". */
import { invalid } from '../../platform/errors.ts'
import { betterOf } from '../summary/better-values.ts'
import type { SortColumn } from './sorted-sql.ts'

export type SortBy = SortColumn | 'best'

export interface SortInput {
  readonly sortMetric?: string | null
  readonly sortBy?: SortBy | null
  readonly order?: 'asc' | 'desc' | null
}

export interface SortOrder {
  readonly metric: string
  readonly by: SortColumn
  readonly order: 'asc' | 'desc'
}

/**
 * Null for a list that is newest first. By the last value without `sortBy`, and the better values first without
 * `order`. 422 for the best of a metric whose key does not say which values are better, and without a metric.
 */
export function sortOrderOf({ sortMetric, sortBy, order }: SortInput): SortOrder | null {
  if (sortMetric == null) {
    if (sortBy == null && order == null) return null
    throw invalid('validation.value', 'needs sort_metric', [sortBy == null ? 'order' : 'sortBy'])
  }
  const better = betterOf(sortMetric)
  const byDefault = better === 'lower' ? 'asc' : 'desc'
  if (sortBy !== 'best') return { metric: sortMetric, by: sortBy ?? 'last', order: order ?? byDefault }
  if (better === null) {
    const why = `The name of ${JSON.stringify(sortMetric)} does not say which values are better: sort by min or max.`
    throw invalid('validation.value', why, ['sortBy'])
  }
  return { metric: sortMetric, by: better === 'lower' ? 'min' : 'max', order: order ?? byDefault }
}
