/**
 * The limits of a data set's joints, in its own numbers: those of the robot that a kept map leads to. A data set says
 * neither its units nor its signs, a map does, so without one no limit is guessed.
 */
import type { HubClient } from '@hub/client/internal'
import { ProblemError, pages } from '@hub/client/internal'
import type { JointLimits } from '@hub/dataset/check-dataset'
import { back, type JointMap } from '@hub/embodiment/joint-map'
import { objectOf } from '@hub/embodiment/json'

interface KnownLimits {
  readonly limits: JointLimits
  /** Why there are none, in words. */
  readonly why: string | null
}

/** A kept version of a map, as `/v1` lists it. */
interface KeptMap {
  readonly robot: string
  readonly reviewed_at: string | null
  readonly map: unknown
}

const PAGE = 100
/** Each costs a request for its card. */
const MOST_ROBOTS = 20

/** By the newest reviewed map of a robot whose card has limits, else by the newest one. */
export async function limitsOfMap(
  client: HubClient,
  { owner, slug: repo }: { readonly owner: string; readonly slug: string },
): Promise<KnownLimits> {
  const kept: KeptMap[] = []
  const listing = pages(`/v1/repos/${owner}/${repo}/joint-maps`, (cursor) =>
    client.v1.listJointMaps({ path: { owner, repo }, query: { limit: PAGE, ...(cursor && { cursor }) } }),
  )
  for await (const items of listing) kept.push(...items)
  const maps = mapsToTry(kept).slice(0, MOST_ROBOTS)
  for (const { robot, map } of maps) {
    const [robotOwner = '', slug = ''] = robot.split('/')
    const card: { limits?: unknown } = await client.robotCard({ owner: robotOwner, slug }).catch(noCard)
    const limits = mappedLimits(map as JointMap, objectOf(card.limits))
    if (limits.size > 0) return { limits, why: null }
  }
  const why =
    maps.length === 0
      ? 'no map leads from its joints to those of a robot; keep one with hub map put'
      : `the card of ${maps.map(({ robot }) => robot).join(', ')} has none of its joints`
  return { limits: new Map(), why: `limits of joints: ${why}` }
}

/**
 * One version for each robot, the reviewed ones first: the newest that a person reviewed, since one that is not
 * reviewed changes nothing, else the newest. `kept` has the versions of a robot newest first. Pure.
 */
export function mapsToTry<Kept extends Pick<KeptMap, 'robot' | 'reviewed_at'>>(kept: readonly Kept[]): Kept[] {
  const byRobot = new Map<string, Kept>()
  for (const one of kept) {
    const before = byRobot.get(one.robot)
    if (!before || (before.reviewed_at === null && one.reviewed_at !== null)) byRobot.set(one.robot, one)
  }
  const chosen = [...byRobot.values()]
  return [...chosen.filter((one) => one.reviewed_at !== null), ...chosen.filter((one) => one.reviewed_at === null)]
}

function noCard(error: unknown): { limits?: unknown } {
  if (error instanceof ProblemError && error.status === 404) return {}
  throw error
}

/** The limits of targets, in the numbers of their sources. Pure. */
export function mappedLimits({ joints }: JointMap, limits: Readonly<Record<string, unknown>>): JointLimits {
  const found = joints.flatMap((joint) => {
    const { from, to, sign } = joint
    const limit = objectOf(limits[to])
    const [a, b] = [limit.lower, limit.upper].map((bound) => {
      const number = bound === null || bound === undefined ? Number.NaN : Number(bound)
      return Number.isFinite(number) ? back(joint, number) : null
    })
    const [lower = null, upper = null] = sign === 1 ? [a, b] : [b, a]
    return lower === null && upper === null ? [] : [[from, { lower, upper }] as const]
  })
  return new Map(found)
}
