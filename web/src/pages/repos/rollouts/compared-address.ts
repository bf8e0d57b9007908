/** The results that a page compares, as its address names them. Pure. */

/** Two are compared. */
const MOST = 2

/** A result as `resultName` has it: its model and its id. */
const NAME = /^[^/,]+\/[^/,]+\/roll_[^/,]+$/

/** Of `compare`, in the order in which they were chosen. What is no result is as if it were not there. */
export function comparedNames(search: URLSearchParams): readonly string[] {
  const names = (search.get('compare') ?? '').split(',').filter((name) => NAME.test(name))
  return [...new Set(names)].slice(0, MOST)
}

/** The value of `compare` once a result was chosen, or was chosen no more: a third one takes the place of the first. */
export function toggledNames(names: readonly string[], name: string): string {
  const next = names.includes(name) ? names.filter((one) => one !== name) : [...names, name].slice(-MOST)
  return next.join(',')
}
