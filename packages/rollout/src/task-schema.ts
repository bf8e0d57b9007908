/**
 * What a rollout is about: where it starts, how long it takes, and what success is. Conditions are data, not code, so
 * that a task of anyone can be run.
 */
import { z } from 'zod'

/** Physics steps are counted, and an episode is kept whole. */
const MAX_SECONDS = 600
const MAX_DEPTH = 8
const MAX_TERMS = 100

const number = z.number()
const name = z.string().min(1).max(1024)
const range = z
  .tuple([number, number])
  .refine(([low, high]) => low <= high, 'must be [lowest, highest]')
  .describe('Lowest and highest, both included.')

const jointCondition = z.strictObject({
  joint: name.describe('A hinge or slide joint of the model.'),
  position: range.optional().describe('rad or m.'),
  velocity: range.optional().describe('rad/s or m/s.'),
  wrap: z
    .boolean()
    .optional()
    .describe('The position of a hinge is taken between -pi and pi, however often it turned.'),
})

const placeCondition = z.strictObject({
  body: name.optional(),
  site: name.optional(),
  axis: z.enum(['x', 'y', 'z']).optional(),
  position: range.optional().describe('Along the axis, in m of the world.'),
  upright: range
    .optional()
    .describe('Of a body: how much of its z axis points up, 1 for upright and -1 for upside down.'),
})

export type Condition =
  | z.output<typeof jointCondition>
  | z.output<typeof placeCondition>
  | { readonly all: readonly Condition[] }
  | { readonly any: readonly Condition[] }
  | { readonly not: Condition }

const several = z.lazy(() => z.array(condition).max(MAX_TERMS))
const condition: z.ZodType<Condition> = z.union([
  jointCondition,
  placeCondition,
  z.strictObject({ all: several }),
  z.strictObject({ any: several }),
  z.strictObject({ not: z.lazy(() => condition) }),
])

const starting = z.record(name, z.union([number, range])).describe('A value, or a range to draw from, by joint name.')

const taskSchema = z.strictObject({
  version: z.literal(1),
  name: z.string().min(1).max(64),
  description: z.string().max(4096).optional(),
  seconds: z.number().positive().max(MAX_SECONDS).describe('How long a rollout takes at most, in time of the model.'),
  start: z
    .strictObject({
      keyframe: name.optional().describe("Of the model; without it the card's, else `home`, else the first."),
      positions: starting.optional(),
      velocities: starting.optional(),
    })
    .optional(),
  success: z.strictObject({
    condition,
    hold_s: z.number().min(0).max(MAX_SECONDS).optional().describe('For how long without a break; 0 without it.'),
    when: z.enum(['once', 'end']).optional().describe('`once` ends the rollout when it is reached; else at its end.'),
  }),
  fail: condition.optional().describe('Ends the rollout without success.'),
  reward: z
    .array(z.strictObject({ weight: number, condition }))
    .max(MAX_TERMS)
    .optional()
    .describe('Added for each second that a condition holds; without it 1 for that of success.'),
})

export type Task = z.output<typeof taskSchema>

/** What is wrong with a task, by its place. */
export class TaskFault extends Error {
  override readonly name = 'TaskFault'
}

/** A task from JSON. Throws a `TaskFault` that names each place. */
export function readTask(value: unknown): Task {
  if (depthOf(value) > MAX_DEPTH + 4) throw new TaskFault(`It is nested more than ${MAX_DEPTH} conditions deep.`)
  const read = taskSchema.safeParse(value)
  if (read.success) return read.data
  const faults = read.error.issues.map(({ path, message }) => `${path.join('.') || 'It'}: ${message}`)
  throw new TaskFault(faults.slice(0, 5).join('; '))
}

function depthOf(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0
  // Members of one level are looked at, not walked: what is too deep is refused before it is read.
  let [level, depth]: [unknown[], number] = [[value], 0]
  while (level.length > 0 && depth <= 100) {
    depth += 1
    level = level
      .flatMap((one) => Object.values(one as object))
      .filter((one) => typeof one === 'object' && one !== null)
  }
  return depth
}

/** For a policy without a task: ten seconds in which the motion stays one. */
export const enduring: Task = {
  version: 1,
  name: 'endure',
  seconds: 10,
  success: { condition: { all: [] }, when: 'end' },
}
