/** Pages of jobs as streams in the order of an index, so that a page reads as many rows as it shows, however many there are. */

export interface JobStream {
  readonly table: string
  /** What each stream is of, with the alias that `place` names: `unnest(:accountIds::text[]) account(id)`. */
  readonly of: string
  /** Columns of an index that ends with `id`, in its order, and the value that a stream has for each. */
  readonly place: Readonly<Record<string, string>>
  /** On the job `u`. */
  readonly condition: string
}

/**
 * Selects the ids of jobs, newest first for each stream, at most `:limit` of each, older than the job `before`. With `owner_id = x order by id`, the planner may take any
 * index on ids and pass over everybody else's jobs. It does not see that a list of one value leaves the order to `id`, so all columns are ordered by, which only the
 * index of `place` has.
 */
export function newestOf({ table, of, place, condition }: JobStream, before: string): string {
  const equal = Object.entries(place).map(([name, value]) => `u.${name} = any(array[${value}])`)
  const order = [...Object.keys(place), 'id'].map((name) => `u.${name} desc`)
  return `select newest.id from ${of} cross join lateral (select u.id from ${table} u
    where ${[...equal, `u.id < ${before}`, condition].join(' and ')} order by ${order.join(', ')} limit :limit::int) newest`
}
