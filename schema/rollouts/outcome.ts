/** The outcome of a seed of a result, and its motion as it was recorded. Contract, "Results of rollouts". */
import { signDownload } from '../../src/files/presign-download.ts'
import type { RolloutEpisode } from '../../src/rollouts/episodes/episode-rows.ts'
import type { RolloutOutcome } from '../../src/rollouts/rollout-rows.ts'
import { builder } from '../builder.ts'
import { wordEnum } from '../word-enum.ts'

export const RolloutEnding = wordEnum('RolloutEnding', 'How a rollout ended.', {
  reached: 'The success condition was met.',
  missed: 'The task ran out of time without success.',
  failed: 'The failure condition of the task was met first.',
  diverged: 'The simulation diverged: a number is no longer finite.',
})

export const RolloutOutcomeType = builder.objectRef<RolloutOutcome>('RolloutOutcome').implement({
  description: 'The outcome of one seed.',
  fields: (t) => ({
    seed: t.exposeInt('seed', { description: 'The seed.' }),
    success: t.exposeBoolean('success', { description: 'Whether the condition of success was met.' }),
    ending: t.expose('ending', { type: RolloutEnding, description: 'How it ended.' }),
    return: t.exposeFloat('return', { description: 'The sum of its rewards.' }),
    seconds: t.exposeFloat('seconds', { description: 'Its length, in time of the model.' }),
    steps: t.exposeInt('steps', { description: 'How often the policy was asked.' }),
    fingerprint: t.exposeString('fingerprint', {
      description: 'Of every number of its motion, bit by bit: 16 hex digits.',
    }),
  }),
})

export const RolloutEpisodeType = builder.objectRef<RolloutEpisode>('RolloutEpisode').implement({
  description: 'The motion of one seed, as its publisher recorded it.',
  fields: (t) => ({
    outcome: t.field({
      type: RolloutOutcomeType,
      description: 'The outcome of the seed.',
      resolve: (episode) => episode,
    }),
    size: t.expose('size', { type: 'SafeInt', description: 'Size in bytes.' }),
    sha256: t.exposeString('sha256', { description: 'SHA-256, computed by the hub.' }),
    url: t.string({
      description: 'Presigned GET URL of the recording, valid for one hour.',
      extensions: { isSecret: true },
      resolve: ({ seed, storageKey }, _args, ctx) =>
        signDownload(ctx, { path: `seed-${seed}.json`, mime: 'application/json', storageKey }),
    }),
  }),
})
