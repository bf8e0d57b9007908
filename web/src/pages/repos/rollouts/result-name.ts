/** A result in an address: its model and its id. Pure. */
import type { RolloutRowFragment } from './rollouts.graphql.ts'

export const resultName = ({ model, id }: Pick<RolloutRowFragment, 'model' | 'id'>): string => `${model}/${id}`

/** What the address names: the repo of the model, and the id. */
export function namedResult(name: string) {
  const [owner = '', repo = '', id = ''] = name.split('/')
  return { owner, repo, id }
}

/** What people call a result. */
export const labelOf = ({ model, modelCommit }: Pick<RolloutRowFragment, 'model' | 'modelCommit'>): string =>
  `${model}@${modelCommit.slice(0, 7)}`
