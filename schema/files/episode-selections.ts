/** Episodes of a data set under a name, which runs name as what they are given. Contract, "Selections of episodes". */
import { selectionNameText } from '@hub/formats/dataset-ref'
import { DEFAULT_PAGE_SIZE, descriptionText } from '@hub/formats/text-rules'
import { z } from 'zod'
import { personFor } from '../../src/accounts/person-for.ts'
import {
  createEpisodeSelection,
  MAX_SELECTION_CHARACTERS,
} from '../../src/files/episode-selections/create-selection.ts'
import {
  type EpisodeSelection,
  episodesOfSelections,
  selectionsOfRepos,
} from '../../src/files/episode-selections/selection-rows.ts'
import { Account } from '../accounts/account.ts'
import { builder, MAX_PAGE_SIZE } from '../builder.ts'
import { Connection, forwardArgs, nodesOf, pageArgs } from '../connection.ts'
import { repoName, rule } from '../input-field.ts'
import { RepoType } from '../repos/repo.ts'
import { targetRepo } from '../repos/target-repo.ts'
import { input, mutation } from '../root-field.ts'
import { wordEnum } from '../word-enum.ts'

const LabelFilterEnum = wordEnum('EpisodeLabelFilter', 'What the labels of episodes select.', {
  kept: 'Those labelled `keep`.',
  not_dropped: 'All except those labelled `drop`.',
  successful: 'Those labelled `success`.',
})

const SelectionType = builder.objectRef<EpisodeSelection>('EpisodeSelection').implement({
  description: 'Episodes of a data set under a name, of one version of its files. It is never changed.',
  fields: (t) => ({
    name: t.exposeString('name', { description: 'A run names it in `svc://owner/repo#name`.' }),
    seq: t.exposeInt('seq', { description: 'Change number of the files that it was made from; a run pins them.' }),
    episodes: t.loadable({
      type: 'String',
      byPath: true,
      description:
        'Its episodes in order, as ranges: `0-3,7`; up to 64 KiB. One statement for any number of selections, which ' +
        'reads 16 MiB: 413 for those beyond.',
      resolve: (selection) => selection,
      load: (selections: EpisodeSelection[], ctx) => episodesOfSelections(ctx, selections),
    }),
    count: t.exposeInt('count', { description: 'Number of its episodes.' }),
    total: t.exposeInt('total', { description: 'Number of episodes that the data set had then.' }),
    fingerprint: t.exposeString('fingerprint', {
      description: 'SHA-256 of `episodes`, lowercase hex: equal for equal lists.',
    }),
    note: t.exposeString('note', { nullable: true, description: 'A note about it.' }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'When it was made.' }),
    creator: t.field({
      type: Account,
      nullable: true,
      description:
        'Who made it; null for keys without a person, and if the caller is neither the owner of the repo nor a member.',
      resolve: ({ ownerId, creator }, _args, ctx) => personFor(ctx.viewer, ownerId, creator),
    }),
  }),
})

const Selections = builder.connectionObject(
  {
    type: SelectionType,
    name: 'EpisodeSelectionConnection',
    description: 'A page of selections, by name.',
    fields: (connection) => ({
      nodes: connection.field({
        type: [SelectionType],
        description: 'The selections.',
        resolve: nodesOf<EpisodeSelection>,
      }),
    }),
  },
  { name: 'EpisodeSelectionEdge', description: 'A selection and its cursor.' },
)

builder.objectField(RepoType, 'episodeSelections', (t) =>
  t.loadable({
    type: Selections,
    byPath: true,
    description: 'The selections of its episodes, by name. One statement for any number of repos.',
    args: {
      name: t.arg.string({ ...rule(selectionNameText), description: 'Only the one of this name.' }),
      ...pageArgs(t.arg),
    },
    resolve: (repo) => repo.id,
    load: async (repoIds: string[], ctx, { name, ...given }) => {
      const { first, after } = forwardArgs(given, MAX_PAGE_SIZE)
      const asked = { limit: first ?? DEFAULT_PAGE_SIZE, after, only: name ?? null }
      const pages = await selectionsOfRepos(ctx, repoIds, asked)
      return pages.map((page) => new Connection(page, after !== null))
    },
  }),
)

const rangesText = z.string().min(1).max(MAX_SELECTION_CHARACTERS)

mutation('createEpisodeSelection', {
  type: SelectionType,
  description:
    'Names episodes of a data set as it is now: a list, all but a list, or by their labels. A selection is never ' +
    'changed; 409 if the name is taken.',
  scope: 'key:write',
  target: targetRepo,
  input: input('The repo, the name, and one of `keep`, `drop` and `labels`.', (t) => ({
    ...repoName(t),
    name: t.string({
      required: true,
      ...rule(selectionNameText),
      description: '1 to 64 lower-case letters, digits and `._-`.',
    }),
    keep: t.string({ ...rule(rangesText), description: 'The episodes, as in `3, 5-9`.' }),
    drop: t.string({ ...rule(rangesText), description: 'All but these.' }),
    labels: t.field({ type: LabelFilterEnum, description: 'By their labels.' }),
    note: t.string({ ...rule(descriptionText), description: 'Anything to remember; an empty text counts as none.' }),
  })),
  payload: { name: 'selection', description: 'The new selection.' },
  verb: createEpisodeSelection,
})
