/** The disturbance of a board in words: what makes it harder than the model alone. Pure. */
import { calm } from '@hub/rollout/loop/calm'
import type { Disturbance } from '@hub/rollout/loop/disturbance'
import { rounded } from '../../../ui/format.ts'

type Numbers = Readonly<Record<string, unknown>>

/** In the words of the panel that drives a robot. A push is told with its times, which mean nothing without one. */
const told: Readonly<Record<Exclude<keyof Disturbance, 'pushEveryS' | 'pushForS'>, (is: Disturbance) => string>> = {
  pushN: (is) => `pushes of ${rounded(is.pushN)} N for ${rounded(is.pushForS)} s every ${rounded(is.pushEveryS)} s`,
  gravity: (is) => `gravity × ${rounded(is.gravity)}`,
  delayMs: (is) => `a delay of ${rounded(is.delayMs)} ms`,
  observationNoise: (is) => `noise of ${rounded(is.observationNoise)} in what it sees`,
  actionNoise: (is) => `noise of ${rounded(is.actionNoise)} in what it does`,
}

/** Of the conditions of a result, or of a row that has its `disturbance` alone. What this page has no words for is shown by its name. */
export function disturbanceText(conditions: unknown): string {
  const given = numbersOf(conditions)
  const is = { ...calm, ...given } as Disturbance
  const known = Object.entries(told).filter(
    ([name]) => is[name as keyof Disturbance] !== calm[name as keyof Disturbance],
  )
  const others = Object.entries(given).filter(([name]) => !Object.hasOwn(calm, name))
  const parts = [...known.map(([, text]) => text(is)), ...others.map(([name, value]) => `${name} ${rounded(value)}`)]
  return parts.length === 0
    ? 'Nothing disturbs the robot: no push, delay or noise.'
    : `Disturbed by ${parts.join(', ')}.`
}

function numbersOf(conditions: unknown): Readonly<Record<string, number>> {
  const { disturbance } = (conditions ?? {}) as { readonly disturbance?: Numbers }
  return Object.fromEntries(
    Object.entries(disturbance ?? {}).filter((one): one is [string, number] => typeof one[1] === 'number'),
  )
}
