/** The limits of a robot's joints, in the units in which a data set has recorded them. */
import { type HubClient, LocalError, repoRanges } from '@hub/client/internal'
import type { JointLimits } from '@hub/dataset/check-dataset'
import { objectOf } from '@hub/embodiment/json'
import { readModel } from '@hub/mjcf/read-model'
import { repoName } from './client-session.ts'
import { cardOf } from './robot-card.ts'

const DEGREES = 180 / Math.PI

/**
 * Of the card of `robot`. `isInDegrees`: hinges are recorded in degrees. The card does not say which joints turn, so
 * its model does; a joint that slides stays in metres.
 */
export async function jointLimitsOf(client: HubClient, robot: string, isInDegrees: boolean): Promise<JointLimits> {
  const card: { limits?: unknown; mjcf_path?: unknown } = await cardOf(client, robot, () => 'it has the limits')
  const all = Object.entries(objectOf(card.limits))
  if (all.length === 0) throw new LocalError(`The card of ${robot} has no limits: add them, or leave out --robot.`)
  const hinges = isInDegrees ? await hingesOf(client, robot, card.mjcf_path) : null
  return new Map(
    all.map(([joint, limit]) => {
      const { lower, upper } = objectOf(limit)
      const perUnit = hinges?.has(joint) ? DEGREES : 1
      return [joint, { lower: numberOf(lower), upper: numberOf(upper), perUnit }]
    }),
  )
}

async function hingesOf(client: HubClient, robot: string, path: unknown): Promise<ReadonlySet<string>> {
  const fix = 'so no one knows which of its joints turn: fix the card, or leave out --degrees.'
  if (typeof path !== 'string') throw new LocalError(`The card of ${robot} names no model file, ${fix}`)
  const files = await repoRanges(client, repoName(robot))
  const sizeOf = (one: string) => files.sizes.get(one) ?? null
  const { joints, unread } = await readModel(
    {
      async readFile(one) {
        const size = sizeOf(one)
        return size === null ? null : new Uint8Array(await files.read(one, 0, size))
      },
      sizesOf: async (paths) => paths.map(sizeOf),
    },
    path,
  )
  if (unread !== undefined || joints.length === 0)
    throw new LocalError(`${path} of ${robot} is not read${unread === undefined ? '' : ` (${unread})`}, ${fix}`)
  return new Set(joints.flatMap(({ name, type }) => (type === 'hinge' && name !== null ? [name] : [])))
}

const numberOf = (value: unknown) => {
  const number = value === null || value === undefined ? Number.NaN : Number(value)
  return Number.isFinite(number) ? number : null
}
