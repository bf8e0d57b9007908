/** What people say of the episodes of a data set. Contract, "Labels of episodes". */

import { DEFAULT_PAGE_SIZE, descriptionText } from '@hub/formats/text-rules'
import { z } from 'zod'
import { personFor } from '../../src/accounts/person-for.ts'
import {
  labelEpisodes,
  MAX_EPISODES_PER_REQUEST,
  undoEpisodeLabels,
} from '../../src/files/episode-labels/label-episodes.ts'
import type { EpisodeLabel } from '../../src/files/episode-labels/label-rows.ts'
import { labelHistoryOfRepos, labelsOfRepos } from '../../src/files/episode-labels/read-labels.ts'
import { Account } from '../accounts/account.ts'
import { builder, MAX_PAGE_SIZE } from '../builder.ts'
import { Connection, forwardArgs, nodesOf, pageArgs } from '../connection.ts'
import { repoName, rule } from '../input-field.ts'
import { RepoType } from '../repos/repo.ts'
import { targetRepo } from '../repos/target-repo.ts'
import { input, mutation } from '../root-field.ts'
import { wordEnum } from '../word-enum.ts'

const EpisodeChoiceEnum = wordEnum('EpisodeChoice', 'Whether an episode is trained on.', {
  keep: 'It is good to train on.',
  drop: 'It is left out of training.',
})

const EpisodeOutcomeEnum = wordEnum('EpisodeOutcome', 'How an episode ended.', {
  success: 'The task was done.',
  failure: 'The task was not done.',
})

const EpisodeLabelType = builder.objectRef<EpisodeLabel>('EpisodeLabel').implement({
  description: 'What a person said about an episode of a data set. It is never changed: the next one replaces it.',
  fields: (t) => ({
    id: t.exposeID('id', { description: 'TypeID, prefix `label_`.' }),
    episode: t.exposeInt('episode', { description: 'Index of the episode.' }),
    choice: t.expose('choice', {
      type: EpisodeChoiceEnum,
      nullable: true,
      description: 'Keep or drop; null for neither.',
    }),
    outcome: t.expose('outcome', {
      type: EpisodeOutcomeEnum,
      nullable: true,
      description: 'Success or failure; null for neither.',
    }),
    note: t.exposeString('note', { nullable: true, description: 'A note about it.' }),
    isCurrent: t.exposeBoolean('isCurrent', { description: 'Whether no later one replaced it.' }),
    previousId: t.exposeID('previousId', { nullable: true, description: 'The label that it replaced.' }),
    undoneId: t.exposeID('undoneId', { nullable: true, description: 'The label that it undid.' }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'When it was said.' }),
    creator: t.field({
      type: Account,
      nullable: true,
      description:
        'Who said it; null for keys without a person, and if the caller is neither the owner of the repo nor one ' +
        'of its members.',
      resolve: (label, _args, ctx) => personFor(ctx.viewer, label.ownerId, label.creator),
    }),
  }),
})

const EpisodeLabels = builder.connectionObject(
  {
    type: EpisodeLabelType,
    name: 'EpisodeLabelConnection',
    description: 'A page of labels.',
    fields: (connection) => ({
      nodes: connection.field({
        type: [EpisodeLabelType],
        description: 'The labels.',
        resolve: nodesOf<EpisodeLabel>,
      }),
    }),
  },
  { name: 'EpisodeLabelEdge', description: 'A label and its cursor.' },
)

builder.objectFields(RepoType, (t) => ({
  episodeLabels: t.loadable({
    type: EpisodeLabels,
    byPath: true,
    description: 'The current labels of its episodes, by episode. One statement for any number of repos.',
    args: { ...pageArgs(t.arg) },
    resolve: (repo) => repo.id,
    load: async (repoIds: string[], ctx, given) => {
      const { first, after } = forwardArgs(given, MAX_PAGE_SIZE)
      const pages = await labelsOfRepos(ctx, repoIds, { limit: first ?? DEFAULT_PAGE_SIZE, after })
      return pages.map((page) => new Connection(page, after !== null))
    },
  }),
  episodeLabelHistory: t.loadable({
    type: EpisodeLabels,
    byPath: true,
    description: 'All labels that its episodes ever had, newest first. One statement for any number of repos.',
    args: { ...pageArgs(t.arg) },
    resolve: (repo) => repo.id,
    load: async (repoIds: string[], ctx, given) => {
      const { first, after } = forwardArgs(given, MAX_PAGE_SIZE)
      const pages = await labelHistoryOfRepos(ctx, repoIds, { limit: first ?? DEFAULT_PAGE_SIZE, after })
      return pages.map((page) => new Connection(page, after !== null))
    },
  }),
}))

/** Each mutation answers an object of its own. */
const labelledEpisodes = (name: string, description: string) =>
  builder.objectRef<readonly EpisodeLabel[]>(name).implement({
    description,
    fields: (t) => ({
      labels: t.field({
        type: [EpisodeLabelType],
        most: MAX_EPISODES_PER_REQUEST,
        description: 'By episode, each as it is now. An episode that never had one is not there.',
        resolve: (labels) => labels,
      }),
    }),
  })

mutation('labelEpisodes', {
  type: labelledEpisodes('LabelledEpisodes', 'The current labels of the episodes that were labelled.'),
  description:
    'Labels episodes: whether they are kept, how they ended, and a note. A member that is left out stays as it is; ' +
    'null clears it. Earlier labels stay in the history. 422 for an episode that the data set does not have, where ' +
    'its meta block counts them; a label of one that it had can be cleared, and undone.',
  scope: 'key:write',
  target: targetRepo,
  input: input('The repo, the episodes and their labels.', (t) => ({
    ...repoName(t),
    episodes: t.intList({
      required: true,
      ...rule(z.array(z.number().int().min(0)).min(1).max(MAX_EPISODES_PER_REQUEST)),
      description: 'Their indexes: 1 to 100.',
    }),
    choice: t.field({ type: EpisodeChoiceEnum, description: 'Keep or drop.' }),
    outcome: t.field({ type: EpisodeOutcomeEnum, description: 'Success or failure.' }),
    note: t.string({ ...rule(descriptionText), description: 'Anything to remember; an empty text clears it.' }),
  })),
  verb: labelEpisodes,
})

mutation('undoEpisodeLabels', {
  type: labelledEpisodes('UndoneEpisodeLabels', 'The current labels of the episodes whose labels were undone.'),
  description:
    'Gives the episodes of these labels their previous labels, as new labels, which can be undone in turn. ' +
    'All or none: 412 if one of them is no longer current.',
  scope: 'key:write',
  target: targetRepo,
  input: input('The repo and the labels.', (t) => ({
    ...repoName(t),
    labels: t.idList({
      required: true,
      ...rule(z.array(z.string().max(64)).min(1).max(MAX_EPISODES_PER_REQUEST)),
      description: 'Ids of current labels: 1 to 100.',
    }),
  })),
  verb: undoEpisodeLabels,
})
