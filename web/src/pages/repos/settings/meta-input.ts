/** The requests that set the meta block of a repo, from their forms. Pure. */
import type { ChangeDatasetMetaMutationVariables, ChangeModelMetaMutationVariables } from './repo-settings.graphql.ts'

type ModelInput = Omit<ChangeModelMetaMutationVariables['input'], 'owner' | 'repo'>
type DatasetInput = Omit<ChangeDatasetMetaMutationVariables['input'], 'owner' | 'repo'>

const textIn = (form: FormData) => (name: string) => String(form.get(name) ?? '').trim() || null

const levels = ['PLANNER', 'SKILL', 'REFLEX'] as const

/** What no form shows of the block stays as it is: the whole block is replaced. */
export function modelMetaInput(
  form: FormData,
  known: Pick<ModelInput, 'sourceRunId' | 'embodimentFingerprint'> | null,
): ModelInput {
  const text = textIn(form)
  return {
    policyType: text('policyType') ?? '',
    robot: text('robot'),
    baseModel: text('baseModel'),
    controlClass: levels.find((level) => level === text('controlClass')) ?? null,
    sourceRunId: known?.sourceRunId ?? null,
    embodimentFingerprint: known?.embodimentFingerprint ?? null,
  }
}

/** An empty rate or robot is none. */
export function datasetMetaInput(form: FormData): DatasetInput {
  const text = textIn(form)
  const fps = text('fps')
  return {
    episodeCount: Number(text('episodeCount')),
    totalFrames: Number(text('totalFrames')),
    fps: fps === null ? null : Number(fps),
    robotType: text('robotType'),
  }
}
