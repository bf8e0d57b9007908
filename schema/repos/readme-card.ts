/** What the header of a repo's README.md says. Contract, "Cards of READMEs". */
import { createContextCache } from '@pothos/core'
import DataLoader from 'dataloader'
import type { RequestContext } from '../../src/operation/context.ts'
import { getCardData } from '../../src/repos/readme/card-data.ts'
import { builder } from '../builder.ts'
import { RepoType } from './repo.ts'

/** For repos that were read without. */
const cardDataLoader = createContextCache(
  ({ deps }: RequestContext) => new DataLoader<string, unknown>((repoIds) => getCardData(deps.db, repoIds)),
)

builder.objectFields(RepoType, (t) => ({
  license: t.exposeString('license', {
    nullable: true,
    description: 'License in the header of its README.md, such as `apache-2.0`; the first of several.',
  }),
  libraryName: t.exposeString('libraryName', {
    nullable: true,
    description: 'Library in the header of its README.md, such as `lerobot`.',
  }),
  pipelineTag: t.exposeString('pipelineTag', {
    nullable: true,
    description: 'Task in the header of its README.md, such as `robotics`.',
  }),
  prettyName: t.exposeString('prettyName', {
    nullable: true,
    description: 'Title in the header of its README.md.',
  }),
  cardTags: t.exposeStringList('cardTags', {
    most: 100,
    description:
      'Tags in the header of its README.md, as it writes them; those that the hub has no such tags for are in ' +
      '`cardLabels`. They change with the file alone, and are found in any letter case.',
  }),
  cardLabels: t.exposeStringList('cardLabels', {
    most: 100,
    description:
      'What else the repo can be found by, in any letter case: from the header of its README.md, each as it writes ' +
      'it, with the prefix of the Hugging Face API: `license:mit`, `language:en`, `dataset:lab/pick`, library, task, other tags.',
  }),
  cardData: t.field({
    type: 'JSON',
    nullable: true,
    description:
      'The header of its README.md as JSON, numbers as they are written; null without one, or if it is invalid.',
    resolve: ({ id, cardData }, _args, ctx) =>
      cardData === undefined ? cardDataLoader(ctx).load(id) : (cardData?.value ?? null),
  }),
  cardFault: t.exposeString('cardFault', {
    nullable: true,
    description: 'Why the header of its README.md, or a part of it, is not used; null if all of it is.',
  }),
}))
