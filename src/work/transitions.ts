/** State machines as tables: rows of a trigger, the state before and after, and the condition between. Pure. */

/** A row of a table of states: the first that fits is what happens; where none does, nothing happens. */
export interface Transition<Trigger, Facts extends { readonly status: string }> {
  readonly trigger: Trigger
  readonly from: Facts['status']
  readonly when: (facts: Facts) => boolean
  readonly to: Facts['status']
}

/** Where the table leads a job of these facts; null where it does not. */
export function nextState<Trigger, Facts extends { readonly status: string }>(
  table: readonly Transition<Trigger, Facts>[],
  trigger: Trigger,
  facts: Facts,
): Facts['status'] | null {
  return table.find((row) => row.trigger === trigger && row.from === facts.status && row.when(facts))?.to ?? null
}
