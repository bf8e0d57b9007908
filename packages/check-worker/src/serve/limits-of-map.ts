/**
 * The limits of a data set's joints, in its own numbers: those of the robot that a kept map leads to. A data set says
 * neither its units nor its signs, a map does, so without one no limit is guessed.
 */
import type { HubClient } from '@hub/client/internal'
import { ProblemError } from '@hub/client/internal'
import type { JointLimits } from '@hub/dataset/check-dataset'
import type { JointMap } from '@hub/embodiment/joint-map'

interface KnownLimits {
  readonly limits: JointLimits
  /** Why there are none, in words. */
  readonly why: string | null
}

/** By the current map whose robot has a card with limits; a map that a person reviewed goes first. */
export async function limitsOfMap(
  client: HubClient,
  { owner, slug: repo }: { readonly owner: string; readonly slug: string },
): Promise<KnownLimits> {
  const { items } = await client.v1.listJointMaps({ path: { owner, repo }, query: { limit: 100 } })
  const current = items.filter(({ is_current }) => is_current)
  const [first] = [...current.filter((one) => one.reviewed_at !== null), ...current]
  if (!first)
    return {
      limits: new Map(),
      why: `limits of joints: no map leads from its joints to those of a robot; keep one with hub map put`,
    }
  const [robotOwner = '', robot = ''] = first.robot.split('/')
  const card: { limits?: unknown } = await client.robotCard({ owner: robotOwner, slug: robot }).catch(noCard)
  const limits = mappedLimits(first.map as unknown as JointMap, objectOf(card.limits))
  return { limits, why: limits.size > 0 ? null : `limits of joints: the card of ${first.robot} has none of its joints` }
}

function noCard(error: unknown): { limits?: unknown } {
  if (error instanceof ProblemError && error.status === 404) return {}
  throw error
}

/** The limits of targets, in the numbers of their sources. Pure. */
export function mappedLimits({ joints }: JointMap, limits: Readonly<Record<string, unknown>>): JointLimits {
  const found = joints.flatMap(({ from, to, sign, scale, offset }) => {
    const limit = objectOf(limits[to])
    const [a, b] = [limit.lower, limit.upper].map((bound) => {
      const number = bound === null || bound === undefined ? Number.NaN : Number(bound)
      return Number.isFinite(number) ? ((number - offset) * sign) / scale : null
    })
    const [lower = null, upper = null] = sign === 1 ? [a, b] : [b, a]
    return lower === null && upper === null ? [] : [[from, { lower, upper }] as const]
  })
  return new Map(found)
}

const objectOf = (value: unknown): Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null ? { ...value } : {}
