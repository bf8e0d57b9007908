/** Repos: type, queries, mutations. Spec, "Repo" and "Repos". */
import { z } from 'zod'
import {
  descriptionText,
  handleText,
  searchText,
  sha256Text,
  slugText,
  tagList,
} from '../../src/platform/text-rules.ts'
import { createRepo } from '../../src/repos/create-repo.ts'
import { deleteRepo } from '../../src/repos/delete-repo.ts'
import { getRepo, getReposById } from '../../src/repos/get-repo.ts'
import { type ListReposInput, listRepos, repoFacets } from '../../src/repos/list-repos.ts'
import type { Repo } from '../../src/repos/repo-shape.ts'
import { updateRepo } from '../../src/repos/update-repo.ts'
import { watchRepo } from '../../src/repos/watch-repo.ts'
import { Account } from '../accounts/account.ts'
import { builder, MAX_PAGE_SIZE } from '../builder.ts'
import { Connection, forwardArgs, nodesOf } from '../connection.ts'
import { repoName, rule } from '../input-field.ts'
import { args, input, mutation, query, subscription } from '../root-field.ts'
import { selects } from '../selection.ts'
import { RepoKindEnum, RepoSortEnum, VisibilityEnum } from './enums.ts'
import { DatasetMetaType, ModelMetaType } from './repo-meta.ts'
import { targetRepo } from './target-repo.ts'

const RepoFileSummary = builder.objectRef<Repo['fileSummary']>('RepoFileSummary').implement({
  description: 'What the files of a repo add up to; kept by every change, never counted by a read.',
  fields: (t) => ({
    count: t.exposeInt('count', { description: 'Files.' }),
    totalBytes: t.expose('totalBytes', { type: 'SafeInt', description: 'Bytes of all files.' }),
    verifiedCount: t.exposeInt('verifiedCount', { description: 'Files whose bytes the hub hashed itself.' }),
  }),
})

export const RepoType = builder.objectRef<Repo>('Repo')

builder.node(RepoType, {
  description: 'A dataset, model or robot: an owner, a slug and files. There are no revisions.',
  id: { resolve: (repo) => repo.id, description: 'TypeID, prefix `repo_`; sorts by creation.' },
  isTypeOf: (value) => typeof value === 'object' && value !== null && 'fileSummary' in value,
  loadMany: (ids, ctx) => getReposById(ctx.deps.db, ctx.viewer, ids),
  fields: (t) => ({
    kind: t.expose('kind', { type: RepoKindEnum, description: 'What it holds.' }),
    owner: t.expose('owner', { type: Account, description: 'The user or org that it belongs to.' }),
    slug: t.exposeString('slug', {
      description: "Its name under the owner; unique for the owner across kinds, fixed for the repo's life.",
    }),
    fullName: t.exposeString('fullName', { description: '`owner/slug`.' }),
    visibility: t.expose('visibility', { type: VisibilityEnum, description: 'Who may read it.' }),
    description: t.exposeString('description', { nullable: true, description: 'At most 4,000 characters.' }),
    tags: t.exposeStringList('tags', { description: 'At most 20, in the order given.' }),
    datasetMeta: t.expose('datasetMeta', {
      type: DatasetMetaType,
      nullable: true,
      description: 'Dataset repos, when set.',
    }),
    modelMeta: t.expose('modelMeta', { type: ModelMetaType, nullable: true, description: 'Model repos, when set.' }),
    fileSummary: t.expose('fileSummary', { type: RepoFileSummary, description: 'Count and bytes of its files.' }),
    policyCount: t.exposeInt('policyCount', {
      nullable: true,
      description: 'On a robot repo: how many model repos visible to the caller name it; null on other kinds.',
    }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'When it was made.' }),
    updatedAt: t.expose('updatedAt', {
      type: 'DateTime',
      description: 'When its settings, meta, card or files last changed.',
    }),
  }),
})

const FacetBucket = builder.objectRef<{ value: string; count: number }>('RepoFacetBucket').implement({
  description: 'How many repos of the counted set have a tag.',
  fields: (t) => ({
    value: t.exposeString('value', { description: 'The tag.' }),
    count: t.exposeInt('count', { description: 'Repos; each counts once for a tag.' }),
  }),
})

const Facets = builder.objectRef<Awaited<ReturnType<typeof repoFacets>>>('RepoFacets').implement({
  description:
    'Counts over the visible repos that `kind`, `owner` and `interfaceFingerprint` leave; `q`, `tag`, `visibility` and `robot` are ignored.',
  fields: (t) => ({
    total: t.exposeInt('total', { description: 'Every visible repo in the counted set.' }),
    tags: t.expose('tags', { type: [FacetBucket], description: 'At most 100, by count descending, then tag.' }),
  }),
})

/** A page that remembers what was asked: the facets count by it. */
class RepoPage extends Connection<Repo> {
  readonly filter: ListReposInput

  constructor(page: Awaited<ReturnType<typeof listRepos>>, filter: ListReposInput) {
    super(page, Boolean(filter.after))
    this.filter = filter
  }
}

query('repo', {
  type: RepoType,
  nullable: true,
  description: 'A repo by owner and slug; null where it does not exist or is not visible to the caller.',
  scope: 'none',
  args: args((t) => ({
    owner: t.string({ required: true, description: 'Handle of the owner.' }),
    slug: t.string({ required: true, description: 'Slug of the repo.' }),
  })),
  read: (ctx, name, info) => getRepo(ctx, name, { cards: selects(info, ['card']) }),
})

const RepoConnection = builder.connectionObject(
  {
    type: RepoType,
    name: 'RepoConnection',
    description: 'A page of repos.',
    fields: (connection) => ({
      nodes: connection.field({ type: [RepoType], description: 'The repos.', resolve: nodesOf<Repo> }),
      facets: connection.field({
        type: Facets,
        description: 'Tag counts of the counted set; computed only when selected.',
        resolve: (page, _args, ctx) => repoFacets(ctx, (page as unknown as RepoPage).filter),
      }),
    }),
  },
  { name: 'RepoEdge', description: 'A repo and its cursor.' },
)

query('repos', {
  type: RepoConnection,
  description: 'Repos visible to the caller, newest first. Every filter narrows; `tag` must hold for all of its tags.',
  scope: 'none',
  args: args((t) => ({
    ...t.connectionArgs(),
    q: t.string({ ...rule(searchText), description: 'Part of the slug or description, letter case aside.' }),
    kind: t.field({ type: RepoKindEnum, description: 'Only this kind.' }),
    owner: t.string({
      ...rule(z.string().max(256)),
      description: 'Only of this owner; an unknown handle is an empty page.',
    }),
    tag: t.stringList({ ...rule(tagList), description: 'Only with all of these tags.' }),
    visibility: t.field({ type: VisibilityEnum, description: 'Only public, or only private ones.' }),
    sort: t.field({ type: RepoSortEnum, description: 'By creation (default) or by last change; always descending.' }),
    robot: t.string({
      ...rule(z.string().max(129)),
      description:
        'Only models trained for this robot (`owner/slug`) and datasets of this robot type, letter case aside.',
    }),
    interfaceFingerprint: t.string({
      ...rule(sha256Text),
      description: "Only robots whose card's current interface has this fingerprint.",
    }),
  })),
  read: async (ctx, args, info) => {
    const filter: ListReposInput = { ...args, ...forwardArgs(args, MAX_PAGE_SIZE) }
    const cards = selects(info, ['nodes', 'card']) || selects(info, ['edges', 'node', 'card'])
    return new RepoPage(await listRepos(ctx, filter, { cards }), filter)
  },
})

mutation('createRepo', {
  type: RepoType,
  payload: { name: 'repo', description: 'The new repo.' },
  description:
    'Makes an empty repo. 403 for an org that the caller is no member of, 404 for an unknown owner, 409 for a taken slug.',
  scope: 'key:write',
  input: input('A new repo: empty, and private unless `visibility` says otherwise.', (t) => ({
    kind: t.field({ type: RepoKindEnum, required: true, description: 'What it will hold.' }),
    slug: t.string({ required: true, ...rule(slugText), description: '1 to 64 of a-z, 0-9 and inner hyphens.' }),
    owner: t.string({
      ...rule(handleText),
      description: "The caller's own handle (default) or an org the caller belongs to.",
    }),
    visibility: t.field({ type: VisibilityEnum, description: 'Private by default.' }),
    description: t.string({ ...rule(descriptionText), description: 'At most 4,000 characters.' }),
    tags: t.stringList({ ...rule(tagList), description: 'At most 20; duplicates are dropped.' }),
  })),
  verb: createRepo,
})

mutation('updateRepo', {
  type: RepoType,
  payload: { name: 'repo', description: 'The repo as it is now.' },
  description: 'Changes description, tags and visibility. An agent key may not make a repo public.',
  scope: 'key:write',
  target: targetRepo,
  input: input('Which repo to change, and how; what is left out stays as it is.', (t) => ({
    ...repoName(t),
    visibility: t.field({ type: VisibilityEnum, description: 'The new visibility; may not be null.' }),
    description: t.string({ ...rule(descriptionText), description: 'Null clears it.' }),
    tags: t.stringList({ ...rule(tagList), description: 'Replaces all tags; null clears them.' }),
  })),
  verb: updateRepo,
})

const DeletedRepo = builder.objectRef<{ id: string }>('DeletedRepo').implement({
  description: 'What is left of a deleted repo.',
  fields: (t) => ({ id: t.exposeID('id', { description: 'The id that it had.' }) }),
})

mutation('deleteRepo', {
  type: DeletedRepo,
  description:
    'Deletes the repo and unlinks its files; bytes are collected later. 409 while something refers to it; never for agent keys.',
  scope: 'key:write',
  target: targetRepo,
  input: input('Which repo to delete.', (t) => ({
    ...repoName(t),
  })),
  verb: deleteRepo,
})

subscription('repoUpdated', {
  type: RepoType,
  description:
    'The repo as it stands, and again after each change of its settings, meta or files. Ends when it is deleted or hidden from the caller.',
  scope: 'none',
  args: args((t) => ({ repoId: t.id({ required: true, description: 'Id of the repo.' }) })),
  events: (ctx, { repoId }) => watchRepo(ctx, repoId),
})
