/** Applies the rules of input fields to a request whose types are already wrong. */
import { ruleFaults } from '../../schema/rule-faults.ts'
import type { Loc } from '../../src/platform/errors.ts'
import type { RoutePlan } from './dialect.ts'
import type { Faults } from './faults.ts'
import { restLoc } from './places.ts'

/**
 * The graph validates field rules only after the types match. A request with type faults is validated here, so that the
 * client gets all faults at once. Places that already have a fault are skipped.
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
