/** The request for a check of a robot, from its form. Pure. */
import type { StartCheckMutationVariables } from './start-check.graphql.ts'

type Request = StartCheckMutationVariables['input']

/** What a policy's output means, as a person says it. */
export const actions = {
  POSITION: 'Joint positions',
  POSITION_OFFSET: 'Offsets from the default pose',
  POSITION_DELTA: 'Offsets from the current positions',
  VELOCITY: 'Joint velocities',
  TORQUE: 'Joint torques',
} as const
type Action = keyof typeof actions

const isAction = (word: string): word is Action => Object.hasOwn(actions, word)
export const isUrdf = (path: string): boolean => path.toLowerCase().endsWith('.urdf')

/** Files that may be a model, the likeliest first: that of the card, else URDF before MJCF, nearest to the root. */
export function modelFiles(paths: readonly string[], ofCard: string | null): string[] {
  const depth = (path: string) => path.split('/').length
  const found = paths
    .filter((path) => /\.(?:urdf|xml|mjcf)$/i.test(path))
    .toSorted((a, b) => depth(a) - depth(b) || Number(isUrdf(b)) - Number(isUrdf(a)))
  return [...new Set([...(ofCard !== null && paths.includes(ofCard) ? [ofCard] : []), ...found])]
}

/** `base` is sent for a URDF alone, which does not say it; the hub chooses where it runs unless that is chosen. */
export function checkRequest(robotRepo: string, form: FormData): Request {
  const text = (name: string) => String(form.get(name) ?? '').trim()
  const [entry, action, where] = [text('entry'), text('action'), text('where')]
  return {
    kind: 'ROBOT',
    robotRepo,
    entry,
    base: isUrdf(entry) ? text('base') : null,
    controlHz: Number(text('controlHz')),
    action: isAction(action) ? action : 'POSITION',
    executor: where === 'WORKER' || where === 'HOSTED' ? where : null,
  }
}
