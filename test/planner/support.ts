import type { DatasetFacts } from '../../src/planner/dataset-facts.ts'
import type { Measured } from '../../src/planner/measured.ts'
import type { Recipe } from '../../src/planner/recipe/recipe.ts'
import { recommendOf } from '../../src/planner/recommend.ts'
import { type PlannerSettings, planRun } from '../../src/planner/run-plan.ts'
import { readConfig } from '../../src/platform/config.ts'

export const settings: PlannerSettings = readConfig({ EXTRA_TEMPLATES: 'own_net' })

interface Facts {
  readonly dataset?: DatasetFacts | null
  readonly measured?: readonly Measured[]
  readonly settings?: PlannerSettings
}

/** The recommendation for a recipe on the default table. */
export function recommend(recipe: Recipe, facts: Facts = {}) {
  const own = facts.settings ?? settings
  return recommendOf({
    recipe,
    plan: planRun(recipe, own),
    dataset: facts.dataset ?? null,
    datasetWarnings: [],
    measured: facts.measured ?? [],
    settings: own,
  })
}

/** Each line of the shape `…: a x b + c = d` with what its left side comes to. */
export function arithmetic(why: readonly string[]): { line: string; said: number; computed: number }[] {
  return why.flatMap((line) => {
    const [, left = '', right = ''] = /^[^:]*: (.*) = (.*)$/.exec(line) ?? []
    if (right === '') return []
    const expression = left
      .replace(/\([a-z][^)]*\)/g, '')
      .replace(/\bx\b/g, '*')
      .replace(/\^/g, '**')
      .replace(/[a-zA-Z]+(\/[a-z]+)?/g, '')
    return [{ line, said: Number.parseFloat(right), computed: evaluate(expression) }]
  })
}

function evaluate(expression: string): number {
  if (!/^[\d\s.+*/()]+$/.test(expression)) throw new Error(`Not arithmetic: ${expression}`)
  return new Function(`return ${expression}`)() as number
}
