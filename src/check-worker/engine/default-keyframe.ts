/** Which keyframe holds the pose that a robot starts from. Pure. */
import type { ModelFacts } from './model-facts.ts'

/** Place of `home`, else of the first one; -1 where the model has none. */
export function defaultKeyframe({ keyframes }: Pick<ModelFacts, 'keyframes'>): number {
  const home = keyframes.findIndex(({ name }) => name === 'home')
  return home !== -1 || keyframes.length === 0 ? home : 0
}
