/** Publishing results of rollouts. Contract, "Results of rollouts". */
import { filePath } from '@hub/formats/file-path-rule'
import { fullNameText, sha256Text } from '@hub/formats/text-rules'
import { z } from 'zod'
import { stateText } from '../../src/files/versions/state-name.ts'
import { MAX_DRAWN_BY_CHARS, MAX_EPISODE_BYTES, MAX_KEPT_EPISODES, MAX_SEEDS } from '../../src/rollouts/limits.ts'
import { publishRollouts } from '../../src/rollouts/publish-rollouts.ts'
import type { Conditions } from '../../src/rollouts/rollout-rows.ts'
import { builder } from '../builder.ts'
import { repoName, rule } from '../input-field.ts'
import { targetRepo } from '../repos/target-repo.ts'
import { input, mutation } from '../root-field.ts'
import { RolloutEnding } from './outcome.ts'
import { RolloutType } from './rollout.ts'

const MAX_SEED = 2 ** 31 - 1 - MAX_SEEDS
/** No episode is longer. */
const MAX_SECONDS = 600
/** The sum over all seeds is a number too. */
const rewards = z.number().min(-1e300).max(1e300)
const word = z.string({ error: 'must be a text of 1 to 64 characters' }).min(1).max(64)

/** What a task asks is read by those who run it; here it needs a name. */
const taskSchema = z.looseObject({ version: z.literal(1), name: word })

const few = (members: object) => Object.keys(members).length <= 20

const disturbanceSchema = z.record(word, z.number()).refine(few, 'must have at most 20 members')

const softwareSchema = z.record(word, word).refine(few, 'must have at most 20 members')

const drawnBySchema = z.string({ error: 'must be a text of 1 to 200 characters' }).min(1).max(MAX_DRAWN_BY_CHARS)

const cameraName = z.string({ error: 'must be a text of 1 to 200 characters' }).min(1).max(200)

const camerasSchema = z
  .record(cameraName, cameraName)
  .refine((cameras) => Object.keys(cameras).length <= 16, 'must have at most 16 members')

const outcomesSchema = z
  .array(z.looseObject({ seed: z.number() }))
  .min(1)
  .max(MAX_SEEDS)
  .refine(
    (outcomes) => outcomes.every(({ seed }, at) => seed === Number(outcomes[0]?.seed) + at),
    'must have each seed once, each one more than the last',
  )

const OutcomeInput = builder.inputType('RolloutOutcomeInput', {
  description: 'The outcome of one seed.',
  fields: (t) => ({
    seed: t.int({ required: true, ...rule(z.number().int().min(0).max(MAX_SEED)), description: 'The seed.' }),
    success: t.boolean({ required: true, description: 'Whether the condition of success was met.' }),
    ending: t.field({ type: RolloutEnding, required: true, description: 'How it ended.' }),
    return: t.float({ required: true, ...rule(rewards), description: 'The sum of its rewards.' }),
    seconds: t.float({
      required: true,
      ...rule(z.number().min(0).max(MAX_SECONDS)),
      description: 'Its length, in time of the model.',
    }),
    steps: t.int({ required: true, ...rule(z.number().int().min(0)), description: 'How often the policy was asked.' }),
    fingerprint: t.string({
      required: true,
      ...rule(z.string().regex(/^[0-9a-f]{16}$/, 'must be 16 lower-case hex digits')),
      description: 'Of every number of its motion, bit by bit.',
    }),
  }),
})

const EpisodeInput = builder.inputType('RolloutEpisodeInput', {
  description: 'The episode of a seed: bytes that were sent to the repo of the model ahead (`presignBlobs`).',
  fields: (t) => ({
    seed: t.int({
      required: true,
      ...rule(z.number().int().min(0).max(MAX_SEED)),
      description: 'One of the outcomes.',
    }),
    sha256: t.string({ required: true, ...rule(sha256Text), description: 'SHA-256 of the bytes.' }),
    size: t.field({
      type: 'SafeInt',
      required: true,
      ...rule(z.number().int().min(1).max(MAX_EPISODE_BYTES)),
      description: 'How many bytes they are: up to 16 MiB.',
    }),
  }),
})

mutation('publishRollouts', {
  type: RolloutType,
  description:
    'Stores the outcomes of rollouts of a policy on a robot as a result of the model. The hub counts the successes ' +
    'and calculates the interval. One that is kept already, with the same numbers, is answered as it is; with other ' +
    'numbers for the same version, robot, conditions and seeds it is 409; of pictures that the same thing has drawn ' +
    'only with another count of successes. The last 1000 results of a model stay, and the last 1000 of agents.',
  scope: 'key:write',
  target: targetRepo,
  input: input('The model, the robot, the conditions, and the outcome of each seed.', (t) => ({
    ...repoName(t),
    version: t.string({
      required: true,
      ...rule(stateText),
      description: 'Version of the model, such as a commit id.',
    }),
    policy: t.string({ required: true, ...rule(filePath), description: 'Path of the ONNX file in it.' }),
    robot: t.string({ required: true, ...rule(fullNameText), description: 'Full name of the robot repo.' }),
    robotVersion: t.string({ required: true, ...rule(stateText), description: 'Its version.' }),
    task: t.field({
      type: 'JSON',
      required: true,
      ...rule(taskSchema),
      description: 'The task, with `version` 1 and a `name` of 1 to 64 characters.',
    }),
    disturbance: t.field({
      type: 'JSON',
      required: true,
      ...rule(disturbanceSchema),
      description: 'Numbers by name: pushes, gravity, delay and noise.',
    }),
    software: t.field({
      type: 'JSON',
      required: true,
      ...rule(softwareSchema),
      description: 'Versions of what ran them, by name.',
    }),
    mapFingerprint: t.string({
      ...rule(sha256Text),
      description: 'Of the map of joints between policy and robot, where one was used.',
    }),
    drawnBy: t.string({
      ...rule(drawnBySchema),
      description:
        'What drew the pictures that the policy saw, with its versions, where it saw some: 1 to 200 characters.',
    }),
    cameras: t.field({
      type: 'JSON',
      ...rule(camerasSchema),
      description:
        'Cameras of the robot by the pictures that they drew, where others were chosen than those of their names: up ' +
        'to 16 names by names, each of 1 to 200 characters, 4 KiB together. Without one it is as none.',
    }),
    outcomes: t.field({
      type: [OutcomeInput],
      required: true,
      ...rule(outcomesSchema),
      description: '1 to 1000 outcomes, of seeds that follow each other.',
    }),
    episodes: t.field({
      type: [EpisodeInput],
      ...rule(z.array(z.unknown()).max(MAX_KEPT_EPISODES)),
      description: 'Up to 20 episodes that the result keeps, such as those of its worst seeds.',
    }),
  })),
  payload: { name: 'rollout', description: 'The kept result.' },
  verb: (ctx, { task, disturbance, software, cameras, ...given }) =>
    publishRollouts(ctx, {
      ...given,
      conditions: { task, disturbance } as unknown as Conditions,
      software: software as Readonly<Record<string, string>>,
      cameras: cameras as Readonly<Record<string, string>> | null | undefined,
    }),
})
