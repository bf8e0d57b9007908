/** The rules of the graph's input fields, for a request that its types refuse already. */
import { ruleFaults } from '../../schema/rule-faults.ts'
import type { Loc } from '../../src/platform/errors.ts'
import type { RoutePlan } from './dialect.ts'
import type { Faults } from './faults.ts'
import { restLoc } from './places.ts'

/**
 * The graph holds a request to the rules of its fields once it is known to be of their types. One that is not is held to them here, so that the client
 * is told everything at once. What lies in a place that has a fault is passed over.
 */
export function addRuleFaults(plan: RoutePlan, variables: Readonly<Record<string, unknown>>, faults: Faults): void {
  const isTold = (loc: Loc) => loc.some((_, end) => faults.isAt(loc.slice(0, end + 1)))
  for (const arg of plan.rootField.args) {
    const name = plan.argumentVariables.get(arg.name)
    if (name === undefined) continue
    for (const item of ruleFaults(arg, variables[name], [arg.name])) {
      const loc = restLoc(plan, item.loc ?? [])
      if (faults.isFull) return
      if (!isTold(loc)) faults.add(item.type, item.detail, loc)
    }
  }
}
