/** The filters of the audit page, in its address. Pure. */

const names = ['account', 'action', 'actor', 'target', 'from', 'to'] as const
export type Filters = Readonly<Record<(typeof names)[number], string>>

export function filtersIn(search: URLSearchParams, account: string): Filters {
  const value = (name: string) => search.get(name)?.trim() ?? ''
  return {
    account: value('account') || account,
    action: value('action'),
    actor: value('actor').replace(/^@/, ''),
    target: value('target'),
    from: dayOf(value('from')) ? value('from') : '',
    to: dayOf(value('to')) ? value('to') : '',
  }
}

/** What of it stands in the address: nothing that is empty. */
export const searchOf = (filters: Filters): Record<string, string> =>
  Object.fromEntries(names.flatMap((name) => (filters[name].trim() === '' ? [] : [[name, filters[name].trim()]])))

/** `2026-11-25` as the midnight with which it begins, where the reader is. */
function dayOf(day: string, later = 0): Date | null {
  const [, year, month, date] = /^(\d{4})-(\d\d)-(\d\d)$/.exec(day) ?? []
  if (year === undefined) return null
  const found = new Date(Number(year), Number(month) - 1, Number(date) + later)
  return Number.isNaN(found.getTime()) ? null : found
}

/** As the graph takes them. `to` is the last day: the range ends with the next midnight. */
export function variablesOf({ account, action, actor, target, from, to }: Filters) {
  return {
    account,
    action: action || null,
    actor: actor || null,
    targetId: target || null,
    from: dayOf(from)?.toISOString() ?? null,
    to: dayOf(to, 1)?.toISOString() ?? null,
  }
}
