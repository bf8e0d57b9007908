/** State machines as tables: each row has a trigger, the states before and after, and a condition. Pure. */

/** A row of a state table. The first matching row applies; if no row matches, the state does not change. */
export interface Transition<Trigger, Facts extends { readonly status: string }> {
  readonly trigger: Trigger
  readonly from: Facts['status']
  readonly when: (facts: Facts) => boolean
  readonly to: Facts['status']
}

/** The next state of a job with these facts; null if no row matches. */
export function nextState<Trigger, Facts extends { readonly status: string }>(
  table: readonly Transition<Trigger, Facts>[],
  trigger: Trigger,
  facts: Facts,
): Facts['status'] | null {
  return table.find((row) => row.trigger === trigger && row.from === facts.status && row.when(facts))?.to ?? null
}
