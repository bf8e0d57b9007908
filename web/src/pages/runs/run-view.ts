/** What the list of runs shows, as its address says it: a link or a bookmark is a view. Pure. */
import type { RunSortBy, RunsQueryVariables, SortDirection } from './runs.graphql.ts'

export const statuses = ['QUEUED', 'RUNNING', 'SUCCEEDED', 'FAILED', 'CANCELED'] as const

/** The values of a metric that a list is sorted by, and the words for them. */
export const sortValues = { LAST: 'last', BEST: 'best', MIN: 'least', MAX: 'greatest', MEAN: 'mean' } as const

/** The columns that can be chosen besides the name and the status. */
export const columnNames = {
  robot: 'Robot',
  project: 'Project',
  group: 'Group',
  tags: 'Tags',
  progress: 'Progress',
  took: 'Took',
  cost: 'Cost',
  created: 'Created',
} as const
export type ColumnName = keyof typeof columnNames

/** Those of a list that chooses none. */
export const usualColumns: readonly ColumnName[] = ['robot', 'progress', 'took', 'cost', 'created']

/** Columns of metrics at once: more would not fit, and each is read for each run. */
export const MAX_METRICS = 8

/** Filters of text, by their name in the address. */
export const textFilters = {
  robot: 'Robot',
  template: 'Template',
  project: 'Project',
  group: 'Group',
  tag: 'Tag',
} as const
export type TextFilter = keyof typeof textFilters

export interface RunView {
  readonly variables: RunsQueryVariables
  readonly columns: readonly ColumnName[]
  readonly metrics: readonly string[]
}

/** The view of an address; what is unknown in it is left out. */
export function viewOf(search: URLSearchParams): RunView {
  const text = (name: string) => search.get(name) || null
  const sortMetric = text('sort')
  const given = search.get('columns')
  const columns = given === null ? usualColumns : namesOf(given)
  const chosen = [...new Set(search.getAll('metric').filter(Boolean))].slice(0, MAX_METRICS)
  const metrics =
    sortMetric === null || chosen.includes(sortMetric) ? chosen : [sortMetric, ...chosen].slice(0, MAX_METRICS)
  return {
    variables: {
      owner: text('owner'),
      status: statuses.find((one) => one === search.get('status')) ?? null,
      q: text('q'),
      robot: text('robot'),
      template: text('template'),
      project: text('project'),
      group: text('group'),
      tag: text('tag') === null ? null : search.getAll('tag').filter(Boolean),
      sortMetric,
      sortBy: sortMetric === null ? null : (sortByOf(search.get('by')) ?? 'LAST'),
      order: sortMetric === null ? null : orderOf(search.get('order')),
      metrics,
    },
    columns,
    metrics,
  }
}

const allColumns = Object.keys(columnNames) as ColumnName[]
const namesOf = (given: string): ColumnName[] => {
  const wanted = given.split(',')
  return allColumns.filter((name) => wanted.includes(name))
}

const sortByOf = (given: string | null): RunSortBy | null =>
  (Object.keys(sortValues) as RunSortBy[]).find((one) => one === given) ?? null
const orderOf = (given: string | null): SortDirection | null => (given === 'ASC' || given === 'DESC' ? given : null)

/** The address with one member set, or without it where the value is empty. */
export function withMember(search: URLSearchParams, name: string, value: string): URLSearchParams {
  const next = new URLSearchParams(search)
  if (value) next.set(name, value)
  else next.delete(name)
  return next
}

/** With a column shown or hidden. */
export function withColumn(search: URLSearchParams, name: ColumnName): URLSearchParams {
  const { columns } = viewOf(search)
  const next = columns.includes(name) ? columns.filter((one) => one !== name) : [...columns, name]
  const ordered = allColumns.filter((one) => next.includes(one))
  const found = new URLSearchParams(search)
  // An empty list is not a column, unlike none.
  found.set('columns', ordered.join(','))
  if (ordered.join() === usualColumns.join()) found.delete('columns')
  return found
}

/** With a metric shown or hidden; hiding the one that the list is sorted by ends that order. */
export function withMetric(search: URLSearchParams, metric: string): URLSearchParams {
  const shown = viewOf(search).metrics
  const next = new URLSearchParams(search)
  next.delete('metric')
  const kept = shown.includes(metric) ? shown.filter((one) => one !== metric) : [...shown, metric]
  for (const one of kept) next.append('metric', one)
  if (shown.includes(metric) && next.get('sort') === metric)
    for (const name of ['sort', 'by', 'order']) next.delete(name)
  return next
}

/** Sorted by a metric; once more turns the order. The better values come first, which the hub knows. */
export function sortedBy(search: URLSearchParams, metric: string, isShownAscending: boolean): URLSearchParams {
  if (search.get('sort') !== metric) {
    const next = withMember(search, 'sort', metric)
    next.delete('order')
    // The best of another metric may be none.
    next.delete('by')
    return next
  }
  return withMember(search, 'order', isShownAscending ? 'DESC' : 'ASC')
}

/** A finished run is at its end, whatever its last report of progress said. */
export const fractionOf = (run: {
  readonly status: string
  readonly progress: { readonly fraction: number | null } | null
}): number | null => (run.status === 'SUCCEEDED' ? 1 : (run.progress?.fraction ?? null))
