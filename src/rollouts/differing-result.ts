/** Whether a result that is published again has the numbers that it had. Pure. */
import { HubError } from '../platform/errors.ts'
import type { Rollout, RolloutOutcome } from './rollout-rows.ts'

type SeedOutcome = Omit<RolloutOutcome, 'rolloutId'>

/** What is published now. */
interface Published {
  readonly outcomes: readonly SeedOutcome[]
  readonly software: Readonly<Record<string, string>>
}

const members = ['success', 'ending', 'return', 'seconds', 'steps', 'fingerprint'] as const

const changedMember = (before: SeedOutcome, now: SeedOutcome | undefined) =>
  members.find((name) => now?.[name] !== before[name])

/**
 * One question has one answer: `conflict.rollout_differs` names the first seed that came out otherwise. `isByRate`: of
 * pictures, which one machine draws a little differently from another, so the motion of a seed may differ; the question
 * has the same answer where as many seeds succeed.
 */
export function differenceOf(
  there: Rollout,
  kept: readonly RolloutOutcome[],
  { outcomes, software }: Published,
  isByRate: boolean,
): HubError | null {
  const successes = outcomes.filter(({ success }) => success).length
  if (isByRate && successes === there.successes) return null
  for (const [at, before] of kept.entries()) {
    const now = outcomes[at]
    const member = isByRate ? changedSuccess(before, now) : changedMember(before, now)
    if (member === undefined) continue
    const [was, is] = [versionsOf(there.software.value), versionsOf(software)]
    const told = isByRate
      ? `${there.successes} of ${there.seeds} succeeded with ${was}, and ${successes} do with ${is}; the first seed ` +
        `that ends otherwise is ${before.seed}`
      : `of seed ${before.seed} the ${member} was ${before[member]} with ${was}, and is ${now?.[member]} with ${is}`
    const detail =
      `${there.model} has another result of these seeds, ${there.id}: ${told}. Publish other seeds, or a new version ` +
      'of the model.'
    return new HubError('conflict.rollout_differs', detail, {
      items: [{ type: 'conflict.rollout_differs', detail, rollout_id: there.id, seed: before.seed }],
    })
  }
  return null
}

const changedSuccess = (before: SeedOutcome, now: SeedOutcome | undefined) =>
  now?.success === before.success ? undefined : ('success' as const)

/** Those of `episodes` whose seeds came out as they did before: another motion is not that of the kept outcome. */
export function sameSeeds<Episode extends { readonly seed: number }>(
  episodes: readonly Episode[],
  kept: readonly SeedOutcome[],
  now: readonly SeedOutcome[],
): readonly Episode[] {
  const same = new Set(
    kept.flatMap((before, at) => (changedMember(before, now[at]) === undefined ? [before.seed] : [])),
  )
  return episodes.filter(({ seed }) => same.has(seed))
}

const versionsOf = (software: Readonly<Record<string, string>>) =>
  Object.entries(software)
    .map(([name, version]) => `${name} ${version}`)
    .join(', ') || 'unnamed software'
