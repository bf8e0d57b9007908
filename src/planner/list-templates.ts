/**
 * listTemplates (contract, "Planning and creating runs"): the templates that a recipe may name, with the
 * hyperparameters that the planner reads of each. A recipe may have others: they go to the template unchanged.
 */
import type { RequestContext } from '../operation/context.ts'
import { findTemplate, type Template, templateNames } from './templates.ts'

export interface TemplateHyperparameter {
  readonly name: string
  /** Names that mean the same; of several that are given, the first one counts. */
  readonly otherNames: readonly string[]
  readonly description: string
  /** What the planner counts with where a recipe has none. */
  readonly preset: number
}

export interface ListedTemplate {
  readonly template: Template
  readonly hyperparameters: readonly TemplateHyperparameter[]
}

export interface TemplateList {
  readonly items: readonly ListedTemplate[]
}

/** Public, without a statement: the registry's templates, then the deployment's own. */
export function listTemplates({ deps }: Pick<RequestContext, 'deps'>): TemplateList {
  const { extraTemplates } = deps.config.runs
  const found = templateNames(extraTemplates).map((name) => findTemplate(name, extraTemplates))
  return {
    items: found
      .filter((template) => template !== null)
      .map((template) => ({ template, hyperparameters: hyperparametersOf(template) })),
  }
}

function hyperparametersOf({ method, keys, defaults }: Template): TemplateHyperparameter[] {
  const isRl = method === 'rl'
  const rows: readonly (readonly [readonly string[], string, number])[] = [
    [[keys.samples], isRl ? 'Environments that are simulated side by side.' : 'Samples in a batch.', defaults.samples],
    [keys.steps, isRl ? 'Iterations of the training.' : 'Steps of the training.', defaults.steps],
    [keys.chunkSize, 'Actions that the policy predicts at once.', defaults.chunkSize],
  ]
  return rows.flatMap(([[name, ...otherNames], description, preset]) =>
    name === undefined ? [] : [{ name, otherNames, description, preset }],
  )
}
