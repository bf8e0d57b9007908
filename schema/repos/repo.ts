/** Repos: type, queries, mutations. Spec, "Repo" and "Repos". */

import {
  descriptionText,
  handleText,
  hfNameText,
  labelList,
  longNameText,
  repoNames,
  searchText,
  sha256Text,
  slugText,
  tagList,
  wantedTags,
} from '@hub/formats/text-rules'
import { z } from 'zod'
import { createRepo } from '../../src/repos/create-repo.ts'
import { deleteRepo } from '../../src/repos/delete-repo.ts'
import { getRepo, getRepoNamed, getReposById } from '../../src/repos/get-repo.ts'
import { type ListReposInput, listRepos, repoFacets } from '../../src/repos/list-repos.ts'
import { plainMembers } from '../../src/repos/plain-repo.ts'
import type { Repo } from '../../src/repos/repo-shape.ts'
import { updateRepo } from '../../src/repos/update-repo.ts'
import { watchRepo } from '../../src/repos/watch-repo.ts'
import { Account } from '../accounts/account.ts'
import { builder, MAX_PAGE_SIZE } from '../builder.ts'
import { Connection, forwardArgs, nodesOf, pageArgs } from '../connection.ts'
import { repoName, rule } from '../input-field.ts'
import { member } from '../member.ts'
import { nodeIds } from '../node-id.ts'
import { args, input, mutation, query, subscription } from '../root-field.ts'
import { selects, selectsOnly } from '../selection.ts'
import { RepoKindEnum, RepoSortEnum, VisibilityEnum } from './enums.ts'
import { RepoFacets } from './facets.ts'
import { DatasetMetaType, ModelMetaType } from './repo-meta.ts'
import { targetRepo } from './target-repo.ts'

const RepoFileSummary = builder.objectRef<Repo['fileSummary']>('RepoFileSummary').implement({
  description: 'File count and total size of a repo; maintained on every change, never computed on read.',
  fields: (t) => ({
    count: t.exposeInt('count', { description: 'Files.' }),
    totalBytes: t.expose('totalBytes', { type: 'SafeInt', description: 'Total size in bytes.' }),
    verifiedCount: t.exposeInt('verifiedCount', { description: 'Files whose SHA-256 the hub computed itself.' }),
  }),
})

export const RepoType = builder.objectRef<Repo>('Repo')

nodeIds('repo', 'Repo')
builder.node(RepoType, {
  description: 'A dataset, model or robot repository: an owner, a slug and files. There are no revisions.',
  id: { resolve: member('id', (repo) => repo.id), description: 'TypeID, prefix `repo_`; sorts by creation.' },
  isTypeOf: (value) => typeof value === 'object' && value !== null && 'fileSummary' in value,
  loadMany: (ids, ctx) => getReposById(ctx.deps.db, ctx.viewer, ids),
  fields: (t) => ({
    kind: t.expose('kind', { type: RepoKindEnum, description: 'Dataset, model or robot; never changes.' }),
    owner: t.expose('owner', { type: Account, description: 'The user or org that owns the repo.' }),
    slug: t.exposeString('slug', {
      description: 'Name of the repo, unique per owner across kinds; never changes.',
    }),
    hfName: t.exposeString('hfName', {
      nullable: true,
      description: 'The name as a client of the Hugging Face API gave it; null if that is the slug.',
    }),
    fullName: t.exposeString('fullName', { description: '`owner/slug`.' }),
    visibility: t.expose('visibility', { type: VisibilityEnum, description: 'Who can read the repo.' }),
    description: t.exposeString('description', { nullable: true, description: 'At most 4,000 characters.' }),
    tags: t.exposeStringList('tags', { most: 20, description: 'At most 20, in the order given.' }),
    datasetMeta: t.expose('datasetMeta', {
      type: DatasetMetaType,
      nullable: true,
      description: 'Meta block of a dataset repo; null on other kinds and until set.',
    }),
    modelMeta: t.expose('modelMeta', {
      type: ModelMetaType,
      nullable: true,
      description: 'Meta block of a model repo; null on other kinds and until set.',
    }),
    fileSummary: t.expose('fileSummary', { type: RepoFileSummary, description: 'Number and total size of its files.' }),
    policyCount: t.exposeInt('policyCount', {
      nullable: true,
      description: 'Number of model repos visible to the caller that name this robot; null on other kinds.',
    }),
    commitId: t.exposeString('commitId', {
      description: 'Commit id of its current state: 40 hex digits. The empty repo has one too.',
    }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'When it was created.' }),
    updatedAt: t.expose('updatedAt', {
      type: 'DateTime',
      description: 'When its settings, meta, card or files last changed.',
    }),
  }),
})

/** A page with its filter: the facets use it. */
class RepoPage extends Connection<Repo> {
  readonly filter: ListReposInput

  constructor(page: Awaited<ReturnType<typeof listRepos>>, filter: ListReposInput) {
    super(page, Boolean(filter.after))
    this.filter = filter
  }
}

/** Whether a card is selected of the repo below this path: it is then read with the repo's own row. */
const selectsCard = (info: Parameters<typeof selects>[0], path: readonly string[] = []) =>
  selects(info, [...path, 'card']) || selects(info, [...path, 'cardData'])

query('repo', {
  type: RepoType,
  nullable: true,
  description: 'A repo by owner and slug; null if it does not exist or is not visible to the caller.',
  scope: 'none',
  args: args((t) => ({
    owner: t.string({ required: true, description: 'Handle of the owner.' }),
    slug: t.string({ required: true, description: 'Slug of the repo.' }),
  })),
  read: (ctx, name, info) => getRepo(ctx, name, { cards: selectsCard(info) }),
})

query('repoNamed', {
  type: RepoType,
  nullable: true,
  description:
    'A repo by the name that a client of the Hugging Face API has for it: exactly its `hfName`, or its slug; null if ' +
    'it does not exist or is not visible to the caller.',
  scope: 'none',
  args: args((t) => ({
    owner: t.string({ required: true, description: 'Handle of the owner.' }),
    name: t.string({ required: true, description: '`hfName` in exactly this spelling, or the slug.' }),
  })),
  read: (ctx, name, info) => getRepoNamed(ctx, name, { cards: selectsCard(info) }),
})

const RepoConnection = builder.connectionObject(
  {
    type: RepoType,
    name: 'RepoConnection',
    description: 'A page of repos.',
    fields: (connection) => ({
      nodes: connection.field({ type: [RepoType], description: 'The repos.', resolve: nodesOf<Repo> }),
      facets: connection.field({
        type: RepoFacets,
        description: 'Counts by tag and license; computed only when selected.',
        resolve: (page, _args, ctx) => repoFacets(ctx, (page as unknown as RepoPage).filter),
      }),
    }),
  },
  { name: 'RepoEdge', description: 'A repo and its cursor.' },
)

/** Where a page has its repos. */
const paths = [['nodes'], ['edges', 'node']] as const

query('repos', {
  type: RepoConnection,
  description:
    'Repos visible to the caller, newest first. Filters are combined with AND; a repo must have every tag in `tag`.',
  scope: 'none',
  args: args((t) => ({
    ...pageArgs(t),
    q: t.string({
      ...rule(searchText),
      description:
        'Substring of the slug or description, or a tag; case-insensitive. Of one or two letters: a page may be ' +
        'short, even empty, before the last one.',
    }),
    kind: t.field({ type: RepoKindEnum, description: 'Only this kind.' }),
    owner: t.string({
      ...rule(z.string().max(256)),
      description: 'Only repos of this owner (handle); an unknown handle gives an empty page.',
    }),
    tag: t.stringList({
      ...rule(wantedTags),
      description: 'Only repos with all of these tags, their own or of their cards; case-insensitive.',
    }),
    license: t.string({
      ...rule(longNameText),
      description: 'Only repos whose card has this license, or has it among several; case-insensitive.',
    }),
    label: t.stringList({
      ...rule(labelList),
      description: 'Only repos that have all of these among their tags, `cardTags` and `cardLabels`; case-insensitive.',
    }),
    visibility: t.field({ type: VisibilityEnum, description: 'Only public or only private repos.' }),
    sort: t.field({ type: RepoSortEnum, description: 'By creation time (default) or last update; always descending.' }),
    robot: t.string({
      ...rule(z.string().max(129)),
      description:
        'Only models trained for the robot that has this name now (`owner/slug`), and datasets of this robot ' +
        'type; case-insensitive.',
    }),
    interfaceFingerprint: t.string({
      ...rule(sha256Text),
      description: "Only robots whose card's current interface has this fingerprint.",
    }),
  })),
  read: async (ctx, args, info) => {
    const filter: ListReposInput = { ...args, ...forwardArgs(args, MAX_PAGE_SIZE) }
    const isPlain = paths.every((path) => selectsOnly(info, path, plainMembers))
    const cards = !isPlain && paths.some((path) => selectsCard(info, path))
    return new RepoPage(await listRepos(ctx, filter, { cards, isPlain }), filter)
  },
})

mutation('createRepo', {
  type: RepoType,
  payload: { name: 'repo', description: 'The new repo.' },
  description:
    'Creates an empty repo. 403 for an org the caller is not a member of, 404 for an unknown owner, 409 if the ' +
    'slug is taken.',
  scope: 'key:write',
  input: input(
    'The repo to create: empty, and private unless `visibility` is set.',
    (t) => ({
      kind: t.field({
        type: RepoKindEnum,
        required: true,
        description: 'Dataset, model or robot; cannot be changed later.',
      }),
      slug: t.string({
        ...rule(slugText),
        description: '1 to 64 of a-z, 0-9 and inner hyphens; may be left out beside `hfName`.',
      }),
      hfName: t.string({
        ...rule(hfNameText),
        description:
          'The name as a client of the Hugging Face API has it: 1 to 64 letters of both cases, digits and inner `._-`. ' +
          'The slug is it in lower case, with `-` for `.` and `_`.',
      }),
      owner: t.string({
        ...rule(handleText),
        description: 'Handle of the owner: the caller (default) or an org the caller belongs to.',
      }),
      visibility: t.field({ type: VisibilityEnum, description: 'Private by default.' }),
      description: t.string({ ...rule(descriptionText), description: 'At most 4,000 characters.' }),
      tags: t.stringList({ ...rule(tagList), description: 'At most 20; duplicates are dropped.' }),
    }),
    repoNames,
  ),
  verb: createRepo,
})

mutation('updateRepo', {
  type: RepoType,
  payload: { name: 'repo', description: 'The repo after the change.' },
  description: 'Changes description, tags and visibility. An agent key may not make a repo public.',
  scope: 'key:write',
  target: targetRepo,
  input: input('The repo and its new settings; omitted members stay unchanged.', (t) => ({
    ...repoName(t),
    visibility: t.field({ type: VisibilityEnum, description: 'The new visibility; may not be null.' }),
    description: t.string({ ...rule(descriptionText), description: 'Null clears it.' }),
    tags: t.stringList({ ...rule(tagList), description: 'Replaces all tags; null clears them.' }),
  })),
  verb: updateRepo,
})

const DeletedRepo = builder.objectRef<{ id: string }>('DeletedRepo').implement({
  description: 'A deleted repo.',
  fields: (t) => ({ id: t.exposeID('id', { description: 'Its id.' }) }),
})

mutation('deleteRepo', {
  type: DeletedRepo,
  description:
    'Deletes the repo and unlinks its files; storage is reclaimed later. 409 while a job references it; 403 for ' +
    'agent keys.',
  scope: 'key:write',
  target: targetRepo,
  input: input('The repo to delete.', (t) => ({
    ...repoName(t),
  })),
  verb: deleteRepo,
})

subscription('repoUpdated', {
  type: RepoType,
  description:
    'The current repo, then the repo after each change to its settings, meta or files. Ends when it is deleted ' +
    'or no longer visible to the caller.',
  scope: 'none',
  args: args((t) => ({ repoId: t.id({ required: true, description: 'Id of the repo.' }) })),
  events: (ctx, { repoId }) => watchRepo(ctx, repoId),
})
