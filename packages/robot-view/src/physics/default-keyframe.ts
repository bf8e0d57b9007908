/** Which keyframe holds the pose that a robot starts from. Pure. */
import type { ModelFacts } from './model-facts.ts'

/** Place of the one that a card names, else of `home`, else of the first one; -1 where the model has none. */
export function defaultKeyframe({ keyframes }: Pick<ModelFacts, 'keyframes'>, named: string | null = null): number {
  const placeOf = (wanted: string) => keyframes.findIndex(({ name }) => name === wanted)
  const said = named === null ? -1 : placeOf(named)
  if (said !== -1) return said
  const home = placeOf('home')
  return home !== -1 || keyframes.length === 0 ? home : 0
}
