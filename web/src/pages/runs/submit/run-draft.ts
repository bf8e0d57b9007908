/** What stands in the form that submits a run, and the request that it becomes. Pure. */
import { isJsonObject } from '@hub/formats/exact-json'
import { hyperparamsOf, textOfHyperparams } from './hyperparams-text.ts'
import { type KeptDraft, keptDraftOf, keptOf } from './kept-draft.ts'
import type { RunToRepeatQuery, SubmitRunMutationVariables } from './submit.graphql.ts'

type Repeated = NonNullable<RunToRepeatQuery['run']>
export type RunRequest = SubmitRunMutationVariables['input']

/** As typed. What is empty is not sent. */
export interface RunDraft extends KeptDraft {
  readonly template: string
  readonly datasets: readonly string[]
  readonly robot: string
  /** The text of a JSON object. */
  readonly hyperparams: string
  readonly executor: 'WORKER' | 'HOSTED'
  readonly gpu: string
  readonly maxHours: string
  readonly budgetUsd: string
  readonly owner: string
  /** The run that it comes from; empty without. */
  readonly parentRunId: string
  readonly parentStep: string
  readonly isGated: boolean
}

/** Beside which the form says what is wrong with them: last names of places. */
export const placedFields = [
  'template',
  'dataset',
  'robot',
  'hyperparams',
  'executor',
  'gpu',
  'maxHours',
  'budgetUsd',
  'owner',
  'name',
  'project',
  'group',
  'tags',
  'notes',
  'parentRunId',
  'parentCheckpointStep',
] as const

/** A form of a page that names a dataset or a robot by its address. */
export const newDraft = (template: string, owner: string, dataset: string | null, robot: string | null): RunDraft => ({
  template,
  datasets: [dataset ?? ''],
  robot: robot ?? '',
  hyperparams: '',
  executor: 'WORKER',
  gpu: '',
  maxHours: '',
  budgetUsd: '',
  owner,
  ...keptDraftOf({ name: null, project: null, group: null, tags: [], notes: null }),
  parentRunId: '',
  parentStep: '',
  isGated: false,
})

/**
 * A form filled from a run: its datasets and robot under the names that they have now, and everything else as it was
 * asked for. Its name is left out, since it is another run.
 */
export function draftOf(run: Repeated, owners: readonly string[]): RunDraft {
  const { recipe } = run
  const hyperparams: unknown = recipe.hyperparams
  return {
    template: recipe.template,
    datasets: run.datasets.length === 0 ? [''] : run.datasets.map(datasetOf),
    robot: run.robotRepo?.fullName ?? recipe.robot ?? '',
    hyperparams: isJsonObject(hyperparams) ? textOfHyperparams(hyperparams) : '',
    executor: recipe.executor ?? 'WORKER',
    gpu: recipe.gpu ?? '',
    maxHours: recipe.maxHours?.toString() ?? '',
    budgetUsd: recipe.budgetUsd?.toString() ?? '',
    owner: owners.includes(run.owner.handle) ? run.owner.handle : (owners[0] ?? ''),
    ...keptDraftOf({ ...run, name: null }),
    parentRunId: run.id,
    parentStep: '',
    isGated: recipe.gate !== null,
  }
}

/** The repo under the name that it has now, with the selection of episodes that the run named. */
const datasetOf = ({ ref, repo }: Repeated['datasets'][number]): string =>
  repo ? repo.fullName + (/#.*$/.exec(ref)?.[0] ?? '') : ref

/** `owner/name`, with `#selection` or without, is a dataset of this hub; anything else is a reference as it stands. */
const datasetRef = (typed: string): string => (/^[^/:\s]+\/[^/:\s]+$/.test(typed) ? `svc://${typed}` : typed)

/**
 * The request of a form, with the gate of `from`; null while its hyperparameters are not a JSON object. A member of an
 * account sends the same to see the price and to submit.
 */
export function requestOf(draft: RunDraft, from: Repeated | null): RunRequest | null {
  const hyperparams = hyperparamsOf(draft.hyperparams)
  if (hyperparams === null) return null
  const text = (typed: string) => typed.trim() || null
  const number = (typed: string) => (typed.trim() === '' ? null : Number(typed))
  return {
    recipe: {
      template: draft.template.trim(),
      dataset: draft.datasets.flatMap((typed) => (typed.trim() === '' ? [] : [datasetRef(typed.trim())])),
      robot: text(draft.robot),
      hyperparams,
      executor: draft.executor,
      gpu: text(draft.gpu),
      maxHours: number(draft.maxHours),
      budgetUsd: number(draft.budgetUsd),
      gate: draft.isGated ? (from?.recipe.gate ?? null) : null,
      parentCheckpointStep: draft.parentRunId === '' ? null : number(draft.parentStep),
    },
    owner: text(draft.owner),
    parentRunId: text(draft.parentRunId),
    ...keptOf(draft),
    jobType: from?.jobType ?? null,
  }
}
