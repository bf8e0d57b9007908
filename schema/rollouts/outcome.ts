/** What a seed of a result came to, and its motion as it was recorded. Contract, "Results of rollouts". */
import { signDownload } from '../../src/files/presign-download.ts'
import type { RolloutEpisode } from '../../src/rollouts/episodes/episode-rows.ts'
import type { RolloutOutcome } from '../../src/rollouts/rollout-rows.ts'
import { builder } from '../builder.ts'
import { wordEnum } from '../word-enum.ts'

export const RolloutEnding = wordEnum('RolloutEnding', 'How a rollout ended.', {
  reached: 'Success was reached.',
  missed: 'The time of the task was over without success.',
  failed: 'What the task calls a failure came first.',
  diverged: 'The simulation left what numbers can say.',
})

export const RolloutOutcomeType = builder.objectRef<RolloutOutcome>('RolloutOutcome').implement({
  description: 'What one seed came to.',
  fields: (t) => ({
    seed: t.exposeInt('seed', { description: 'The seed.' }),
    success: t.exposeBoolean('success', { description: 'Whether the condition of success was met.' }),
    ending: t.expose('ending', { type: RolloutEnding, description: 'How it ended.' }),
    return: t.exposeFloat('return', { description: 'The sum of its rewards.' }),
    seconds: t.exposeFloat('seconds', { description: 'Its length, in time of the model.' }),
    steps: t.exposeInt('steps', { description: 'How often the policy was asked.' }),
    fingerprint: t.exposeString('fingerprint', {
      description: 'Of every number of its motion, to the bit: 16 hex digits.',
    }),
  }),
})

export const RolloutEpisodeType = builder.objectRef<RolloutEpisode>('RolloutEpisode').implement({
  description: 'The motion of one seed, as the one who ran it recorded it.',
  fields: (t) => ({
    outcome: t.field({
      type: RolloutOutcomeType,
      description: 'What the seed came to.',
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
