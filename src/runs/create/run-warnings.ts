/** Parts of a recipe that take effect only with further setup. Pure. Contract, "Gates". */

import type { RecipeDocument } from '../../planner/recipe/recipe.ts'
import type { JobExecutor } from '../../work/held-job.ts'

/** Sentences for the submitter; none if every part of the recipe takes effect. */
export function warningsOf({ executor, recipe }: { executor: JobExecutor | null; recipe: RecipeDocument }): string[] {
  if (executor === null) return []
  const gate = isObject(recipe.gate) ? gateWarning(executor, recipe.gate.executor ?? executor) : null
  const budget = executor === 'worker' && recipe.budget_usd != null ? budgetWarning(recipe.max_hours != null) : null
  return [gate, budget].filter((warning) => warning !== null)
}

/** Nothing but its own `max_hours` limits a worker run. */
function budgetWarning(isLimited: boolean): string {
  const end = isLimited ? 'max_hours is what ends it' : 'without max_hours nothing but its runner ends it'
  return `recipe.budget_usd: a worker run costs nothing, so its budget is never spent; ${end}.`
}

/** The hub itself executes no rollouts: only the run's holder does. */
function gateWarning(executor: JobExecutor, rollouts: unknown): string {
  if (executor === 'worker' && rollouts === 'worker')
    return (
      'recipe.gate: its checkpoints are gated by the runner that holds the run, if that has a battery command (hub ' +
      'runner --battery-command); otherwise they are not gated.'
    )
  if (executor === 'worker')
    return (
      'recipe.gate.executor: this hub executes no hosted rollouts, and runners leave them alone; the checkpoints ' +
      'will not be gated.'
    )
  if (rollouts === 'worker')
    return (
      'recipe.gate.executor: only what holds a run records its gate results, and no worker holds a hosted run; the ' +
      'checkpoints will not be gated.'
    )
  return (
    'recipe.gate: the hub executes no rollouts; the checkpoints are gated if the deployed function of the template ' +
    'does so itself.'
  )
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null
