/** Whether a result that is published again has the numbers that it had. Pure. */
import { HubError } from '../platform/errors.ts'
import type { Rollout, RolloutOutcome } from './rollout-rows.ts'

/** What is published now. */
interface Published {
  readonly outcomes: readonly Omit<RolloutOutcome, 'rolloutId'>[]
  readonly software: Readonly<Record<string, string>>
}

const members = ['success', 'ending', 'return', 'seconds', 'steps', 'fingerprint'] as const

/** One question has one answer: `conflict.rollout_differs` names the first seed that came out otherwise. */
export function differenceOf(
  there: Rollout,
  kept: readonly RolloutOutcome[],
  { outcomes, software }: Published,
): HubError | null {
  for (const [at, before] of kept.entries()) {
    const now = outcomes[at]
    const member = members.find((name) => now?.[name] !== before[name])
    if (member === undefined) continue
    const detail =
      `${there.model} has another result of these seeds, ${there.id}: of seed ${before.seed} the ${member} was ` +
      `${before[member]} with ${versionsOf(there.software.value)}, and is ${now?.[member]} with ` +
      `${versionsOf(software)}. Publish other seeds, or a new version of the model.`
    return new HubError('conflict.rollout_differs', detail, {
      items: [{ type: 'conflict.rollout_differs', detail, rollout_id: there.id, seed: before.seed }],
    })
  }
  return null
}

const versionsOf = (software: Readonly<Record<string, string>>) =>
  Object.entries(software)
    .map(([name, version]) => `${name} ${version}`)
    .join(', ') || 'unnamed software'
