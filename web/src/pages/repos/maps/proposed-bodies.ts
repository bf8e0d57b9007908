/** Which robots may have the joints that a map reads, each with all that speaks for it. Pure. */

export interface ProposedBody {
  readonly robot: string
  /** Whether the repo itself names this robot: it is shown at first. */
  readonly isNamed: boolean
  /** Strongest first. */
  readonly reasons: readonly string[]
}

interface RobotOfJob {
  readonly id: string
  readonly robotRepo: { readonly fullName: string } | null
}

export interface KnownOfSource {
  /** What the repo itself says: `robot_type` of a data set, the robot of a model; null for none. */
  readonly named: { readonly text: string; readonly isRepo: boolean } | null
  readonly kind: 'DATASET' | 'MODEL'
  /** The robot that the `meta/info.json` of a data set declares: its `robot`, else its `robot_type`. */
  readonly declared: string | null
  readonly fits: readonly { readonly robot: string; readonly verdict: string; readonly mapVersion: number | null }[]
  readonly runs: readonly (RobotOfJob & { readonly displayName: string })[]
  readonly checks: readonly RobotOfJob[]
  readonly maps: readonly { readonly robot: string; readonly isCurrent: boolean; readonly reviewedAt: string | null }[]
  /** Robots that have the named text in their name. */
  readonly alike: readonly string[]
}

/** A page has no room for more, and the field below it finds every other robot. */
const MOST = 6

/**
 * From what the repo names over joints that are equal to what only hints at a robot. Without the robot that the map
 * leads to: that one is shown in any case. Other maps come last: a robot that needs one has joints of other names.
 */
export function proposedBodies(known: KnownOfSource, target: string): ProposedBody[] {
  const { named, kind, declared, fits, runs, checks, maps, alike } = known
  const what = kind === 'DATASET' ? 'data set' : 'model'
  const own = named?.isRepo ? [[named.text, `The ${what} names it as its robot.`] as const] : []
  const hints: (readonly [robot: string, reason: string])[] = [
    ...(declared === null ? [] : [[declared, 'Its meta/info.json declares it.'] as const]),
    ...fits
      .filter(({ verdict, mapVersion }) => verdict === 'AS_IS' && mapVersion === null)
      .map(({ robot }) => [robot, 'Its joints, rate and action fit as they are.'] as const),
    ...runs.flatMap(({ displayName, robotRepo }) =>
      robotRepo ? [[robotRepo.fullName, `The run ${displayName} used both.`] as const] : [],
    ),
    ...checks.flatMap(({ id, robotRepo }) =>
      robotRepo ? [[robotRepo.fullName, `The check ${id} tried it on this robot.`] as const] : [],
    ),
    ...alike.map((robot) => [robot, `Its name or description has ${named?.text} in it, as the ${what} does.`] as const),
    ...maps
      .filter(({ isCurrent }) => isCurrent)
      .map(({ robot, reviewedAt }) => [robot, mapReason(reviewedAt !== null)] as const),
  ]
  const byRobot = Map.groupBy([...own, ...hints], ([robot]) => robot.toLowerCase())
  byRobot.delete(target.toLowerCase())
  return [...byRobot.values()].slice(0, MOST).flatMap((found) => {
    const [first] = found
    if (!first) return []
    const isNamed = own.some((one) => one === first)
    return [{ robot: first[0], isNamed, reasons: [...new Set(found.map(([, reason]) => reason))] }]
  })
}

const mapReason = (isReviewed: boolean) =>
  `A ${isReviewed ? 'reviewed' : 'kept'} map leads to it too, so its joints may have other names.`
