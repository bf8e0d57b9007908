import { z } from 'zod'
import type { JointMap } from './joint-map.ts'

/** No robot that people teach or train has a tenth of them. */
export const MAX_MAPPED_JOINTS = 1000
/** Beyond these a number is a slip: a hundred thousand turns, a scale that leaves nothing of a motion. */
const MAX_VALUE = 1e6
const MIN_SCALE = 1e-6

const name = z.string().min(1).max(1024)
const value = z.number().min(-MAX_VALUE).max(MAX_VALUE)

const shape = z.strictObject({
  version: z.literal(1),
  joints: z
    .array(
      z.strictObject({
        from: name,
        to: name,
        sign: z.union([z.literal(1), z.literal(-1)]),
        scale: z.number().min(MIN_SCALE).max(MAX_VALUE),
        offset: value,
      }),
    )
    .max(MAX_MAPPED_JOINTS),
  held: z.array(z.strictObject({ joint: name, value })).max(MAX_MAPPED_JOINTS),
  dropped: z.array(name).max(MAX_MAPPED_JOINTS),
})

/** A map as JSON: each joint of the source is used or dropped once, each of the target moved or held once. */
export const jointMapSchema = shape.superRefine((map, ctx) => {
  const once = (names: readonly (readonly [string, (string | number)[]])[], said: string) => {
    const seen = new Set<string>()
    for (const [one, path] of names) {
      if (seen.has(one)) ctx.addIssue({ code: 'custom', path, message: `${said} ${one} is there twice` })
      seen.add(one)
    }
  }
  const { joints, held, dropped } = map
  once(
    [
      ...joints.map((joint, at) => [joint.from, ['joints', at, 'from']] as const),
      ...dropped.map((one, at) => [one, ['dropped', at]] as const),
    ].map(([one, path]) => [one, [...path]]),
    'the source joint',
  )
  once(
    [
      ...joints.map((joint, at) => [joint.to, ['joints', at, 'to']] as const),
      ...held.map(({ joint }, at) => [joint, ['held', at, 'joint']] as const),
    ].map(([one, path]) => [one, [...path]]),
    'the target joint',
  )
})

export interface MapFault {
  /** Such as `joints.2.scale`; empty for the whole. */
  readonly place: string
  readonly message: string
}

/** The map in a parsed JSON value, or every fault of it by its place. */
export function readJointMap(json: unknown): { readonly map: JointMap } | { readonly faults: readonly MapFault[] } {
  const read = jointMapSchema.safeParse(json)
  if (read.success) return { map: read.data }
  return { faults: read.error.issues.map(({ path, message }) => ({ place: path.join('.'), message })) }
}
