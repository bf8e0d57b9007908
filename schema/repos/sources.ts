/** What a repo is made from, and what is made from it, as their cards say. Contract, "Lineage". */
import type { RequestContext } from '../../src/operation/context.ts'
import { reposMadeFrom } from '../../src/repos/readme/made-from.ts'
import type { CardSource } from '../../src/repos/readme/readme-card.ts'
import { reposOfSources, sourcesOfRepos } from '../../src/repos/readme/sources.ts'
import type { Repo } from '../../src/repos/repo-shape.ts'
import { builder } from '../builder.ts'
import { nodesOf, pageArgs } from '../connection.ts'
import { relatedPages } from '../related-pages.ts'
import { wordEnum } from '../word-enum.ts'
import { RepoType } from './repo.ts'
import { RepoUsageType } from './usage.ts'

const RepoSourceRelationEnum = wordEnum('RepoSourceRelation', 'How a repo is made from another.', {
  dataset: 'It is a dataset that it was trained on: `datasets` of the card.',
  base_model: 'It is the model that it was made from: `base_model` of the card.',
})

const RepoSourceType = builder.objectRef<CardSource>('RepoSource').implement({
  description: 'A repo that the card of another says it is made from.',
  fields: (t) => ({
    relation: t.expose('relation', { type: RepoSourceRelationEnum, description: 'What it is for the other.' }),
    name: t.exposeString('name', { description: 'Its name as the card writes it; it may be on another hub.' }),
    repo: t.loadable({
      type: RepoType,
      nullable: true,
      description:
        'The repo here that has the name now, or had it before it was moved; null if there is none of that kind that ' +
        'is visible to the caller. One statement for any number.',
      resolve: (source) => source,
      load: (sources: CardSource[], ctx: RequestContext) => reposOfSources(ctx, sources),
    }),
  }),
})

builder.objectField(RepoType, 'sources', (t) =>
  t.loadableList({
    type: RepoSourceType,
    most: 50,
    description: 'What the header of its README.md says it is made from, in that order.',
    resolve: (repo) => repo.id,
    load: (repoIds: string[], ctx: RequestContext) => sourcesOfRepos(ctx, repoIds),
  }),
)

const ReposMadeFrom = builder.connectionObject(
  {
    type: RepoType,
    name: 'RepoUsageRepoConnection',
    description: 'A page of the repos that are made from a repo.',
    fields: (connection) => ({
      nodes: connection.field({ type: [RepoType], description: 'The repos.', resolve: nodesOf<Repo> }),
    }),
  },
  { name: 'RepoUsageRepoEdge', description: 'A repo and its cursor.' },
)

builder.objectField(RepoUsageType, 'repos', (t) =>
  t.loadable({
    type: ReposMadeFrom,
    byPath: true,
    description:
      'Repos whose cards name it as a dataset or as their base model and that are visible to the caller, newest ' +
      'first. One statement for any number of repos.',
    args: { ...pageArgs(t.arg) },
    resolve: ({ id }) => id,
    load: relatedPages(reposMadeFrom),
  }),
)
