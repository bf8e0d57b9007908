/** History, snapshots and what differs between states. Contract, "Versions". */

import { DEFAULT_PAGE_SIZE } from '@hub/formats/text-rules'
import { personFor } from '../../src/accounts/person-for.ts'
import { assertMayWriteRepo } from '../../src/auth/policy.ts'
import { diffStates, type FileDiff } from '../../src/files/versions/diff.ts'
import { historyOfRepos, type RepoChange } from '../../src/files/versions/history.ts'
import { getSnapshot, type RepoSnapshot, snapshotsOfRepos } from '../../src/files/versions/snapshots.ts'
import { stateText } from '../../src/files/versions/state-name.ts'
import { HubError } from '../../src/platform/errors.ts'
import type { Repo } from '../../src/repos/repo-shape.ts'
import { Account } from '../accounts/account.ts'
import { builder, MAX_PAGE_SIZE } from '../builder.ts'
import { Connection, forwardArgs, nodesOf, pageArgs } from '../connection.ts'
import { rule } from '../input-field.ts'
import { RepoType } from '../repos/repo.ts'
import { args, query } from '../root-field.ts'
import { wordEnum } from '../word-enum.ts'
import { AT_TEXT } from './file.ts'
import { MESSAGE_TEXT } from './message-input.ts'

const RepoChangeActionEnum = wordEnum('RepoChangeAction', "Operation that changed a repo's files.", {
  complete: 'Uploads were completed.',
  delete: 'Files were deleted.',
  reject: 'The hub hashed a file and rejected it: its bytes were not what its SHA-256 said.',
  restore: 'A state was restored.',
  purge: 'Files were purged from every version.',
})

export const RepoChangeType = builder.objectRef<RepoChange>('RepoChange').implement({
  description: "One change of a repo's files, and the state that it led to.",
  fields: (t) => ({
    seq: t.exposeInt('seq', { description: 'Its number; names the state in `at`.' }),
    commitId: t.exposeString('commitId', {
      description: 'Names the version for all who can read the repo: 40 hex digits, random, never used again.',
    }),
    message: t.exposeString('message', { nullable: true, description: MESSAGE_TEXT }),
    time: t.expose('time', { type: 'DateTime', description: 'When it was made.' }),
    replacedAt: t.expose('replacedAt', {
      type: 'DateTime',
      nullable: true,
      description: 'When the next change replaced the state; null for the current one.',
    }),
    action: t.expose('action', { type: RepoChangeActionEnum, description: 'Operation that made the change.' }),
    actor: t.expose('actor', {
      type: Account,
      nullable: true,
      description: 'The person behind the credential; null for background work and for keys without a person.',
    }),
    filesAdded: t.exposeInt('filesAdded', { description: 'Paths that got a file.' }),
    filesRemoved: t.exposeInt('filesRemoved', { description: 'Paths that lost their file.' }),
    filesChanged: t.exposeInt('filesChanged', { description: 'Paths whose file was replaced.' }),
    bytesAdded: t.expose('bytesAdded', { type: 'SafeInt', description: 'Bytes of the files that came.' }),
    bytesRemoved: t.expose('bytesRemoved', { type: 'SafeInt', description: 'Bytes of the files that went.' }),
    fileCount: t.exposeInt('fileCount', { description: 'Files of the state.' }),
    totalBytes: t.expose('totalBytes', { type: 'SafeInt', description: 'Bytes of the state.' }),
    withdrawnCount: t.exposeInt('withdrawnCount', {
      description: 'Files that were taken out of the state afterwards: purged by a person, or rejected by the hub.',
    }),
    snapshots: t.exposeStringList('snapshots', {
      most: 20,
      description: 'Names of snapshots of the state, which keep it.',
    }),
    isPinned: t.exposeBoolean('isPinned', {
      description: 'Whether a run pinned the state as its dataset, or a robot check may still read it: both keep it.',
    }),
    keptUntil: t.expose('keptUntil', {
      type: 'DateTime',
      nullable: true,
      description: 'The state is kept at least until then; null while nothing ends it: it is current, named or pinned.',
    }),
  }),
})

const RepoHistory = builder.connectionObject(
  {
    type: RepoChangeType,
    name: 'RepoHistoryConnection',
    description: 'A page of changes, newest first.',
    fields: (connection) => ({
      nodes: connection.field({ type: [RepoChangeType], description: 'The changes.', resolve: nodesOf<RepoChange> }),
    }),
  },
  { name: 'RepoHistoryEdge', description: 'A change and its cursor.' },
)

builder.objectField(RepoType, 'history', (t) =>
  t.loadable({
    type: RepoHistory,
    byPath: true,
    description:
      'The changes of its files whose states are still there, newest first; 403 without the right to write the ' +
      'repo. One statement for any number of repos.',
    args: { ...pageArgs(t.arg) },
    resolve: (repo) => repo,
    load: async (repos: Repo[], ctx, given) => {
      const { first, after } = forwardArgs(given, MAX_PAGE_SIZE)
      const refused = repos.map((repo) =>
        refusalOf(() => assertMayWriteRepo(ctx.viewer, writeTarget(repo), repo.fullName)),
      )
      const pages = await historyOfRepos(
        ctx,
        repos.filter((_, index) => !refused[index]).map((repo) => repo.id),
        { limit: first ?? DEFAULT_PAGE_SIZE, after },
      )
      const left = pages.values()
      return refused.map((error) => error ?? new Connection(left.next().value ?? noPage, after !== null))
    },
  }),
)

const noPage = { nodes: [], hasNextPage: false, cursorOf: () => '' }
const writeTarget = (repo: Repo) => ({ id: repo.id, ownerId: repo.owner.id, visibility: repo.visibility })

function refusalOf(check: () => unknown): HubError | null {
  try {
    check()
    return null
  } catch (error) {
    if (error instanceof HubError) return error
    throw error
  }
}

export const RepoSnapshotType = builder.objectRef<RepoSnapshot>('RepoSnapshot').implement({
  description: 'A name for a state of a repo. It keeps the files of that state until it is deleted.',
  fields: (t) => ({
    id: t.exposeID('id', { description: 'TypeID, prefix `snap_`.' }),
    name: t.exposeString('name', {
      description:
        'Unique in the repo; names the state in `at`. One that starts with a digit has a prefix: `snapshot:005000`.',
    }),
    seq: t.exposeInt('seq', { description: 'Number of the change that led to the state.' }),
    commitId: t.exposeString('commitId', { description: 'Commit id of the state.' }),
    note: t.exposeString('note', { nullable: true, description: 'Text of its creator.' }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'When it was made.' }),
    creator: t.field({
      type: Account,
      nullable: true,
      description:
        'Who made it; null for keys without a person, and if the caller is neither the owner of the repo nor one ' +
        'of its members.',
      resolve: (snapshot, _args, ctx) => personFor(ctx.viewer, snapshot.ownerId, snapshot.creator),
    }),
    time: t.expose('time', {
      type: 'DateTime',
      nullable: true,
      description: 'When the change was made that led to the state; null for the empty repo.',
    }),
    fileCount: t.exposeInt('fileCount', { description: 'Files of the state.' }),
    totalBytes: t.expose('totalBytes', { type: 'SafeInt', description: 'Bytes of the state.' }),
    withdrawnCount: t.exposeInt('withdrawnCount', {
      description: 'Files that were taken out of the state afterwards: purged by a person, or rejected by the hub.',
    }),
  }),
})

const RepoSnapshots = builder.connectionObject(
  {
    type: RepoSnapshotType,
    name: 'RepoSnapshotConnection',
    description: 'A page of snapshots, newest first.',
    fields: (connection) => ({
      nodes: connection.field({
        type: [RepoSnapshotType],
        description: 'The snapshots.',
        resolve: nodesOf<RepoSnapshot>,
      }),
    }),
  },
  { name: 'RepoSnapshotEdge', description: 'A snapshot and its cursor.' },
)

builder.objectField(RepoType, 'snapshots', (t) =>
  t.loadable({
    type: RepoSnapshots,
    byPath: true,
    description: 'Its snapshots, newest first. One statement for any number of repos.',
    args: { ...pageArgs(t.arg) },
    resolve: (repo) => repo.id,
    load: async (repoIds: string[], ctx, given) => {
      const { first, after } = forwardArgs(given, MAX_PAGE_SIZE)
      const pages = await snapshotsOfRepos(ctx, repoIds, { limit: first ?? DEFAULT_PAGE_SIZE, after })
      return pages.map((page) => new Connection(page, after !== null))
    },
  }),
)

query('snapshot', {
  type: RepoSnapshotType,
  nullable: true,
  description: 'A snapshot by name; null if the repo does not have it, or is not visible to the caller.',
  scope: 'none',
  args: args((t) => ({
    owner: t.string({ required: true, description: 'Handle of the owner.' }),
    slug: t.string({ required: true, description: 'Slug of the repo.' }),
    name: t.string({ required: true, description: 'Name of the snapshot.' }),
  })),
  read: (ctx, { owner, slug, name }) => getSnapshot(ctx, { owner, repo: slug, name }),
})

export const FileChangeKindEnum = wordEnum('FileChangeKind', 'How a path differs between two states.', {
  added: 'Only the later side has it.',
  removed: 'Only the earlier side has it.',
  changed: 'Both have it, with different bytes.',
})

export const FileVersion = builder.objectRef<NonNullable<FileDiff['before']>>('FileVersion').implement({
  description: 'The bytes of a path in one state.',
  fields: (t) => ({
    size: t.expose('size', { type: 'SafeInt', description: 'Bytes.' }),
    sha256: t.exposeString('sha256', {
      nullable: true,
      description: 'SHA-256 computed by the hub, lowercase hex; null until the hub has hashed the bytes.',
    }),
  }),
})

const FileDiffType = builder.objectRef<FileDiff>('FileDiff').implement({
  description: 'A path that differs between two states.',
  fields: (t) => ({
    path: t.exposeString('path', { description: 'Relative to the repo.' }),
    change: t.expose('change', { type: FileChangeKindEnum, description: 'Kind of difference.' }),
    before: t.expose('before', {
      type: FileVersion,
      nullable: true,
      description: 'In `from`; null if it is not there.',
    }),
    after: t.expose('after', { type: FileVersion, nullable: true, description: 'In `to`; null if it is not there.' }),
  }),
})

const FileDiffs = builder.connectionObject(
  {
    type: FileDiffType,
    name: 'FileDiffConnection',
    description: 'A page of paths that differ, in byte order.',
    fields: (connection) => ({
      nodes: connection.field({ type: [FileDiffType], description: 'The paths.', resolve: nodesOf<FileDiff> }),
    }),
  },
  { name: 'FileDiffEdge', description: 'A path that differs, and its cursor.' },
)

query('diff', {
  type: FileDiffs,
  description: 'What differs between two states of a repo: paths that were added, removed or changed, in byte order.',
  scope: 'none',
  args: args((t) => ({
    owner: t.string({ required: true, description: 'Handle of the owner.' }),
    slug: t.string({ required: true, description: 'Slug of the repo.' }),
    from: t.string({ required: true, ...rule(stateText), description: AT_TEXT }),
    to: t.string({ ...rule(stateText), description: 'The other state; the current one if absent.' }),
    ...pageArgs(t),
  })),
  read: async (ctx, { owner, slug, from, to, ...given }) => {
    const { first, after } = forwardArgs(given, MAX_PAGE_SIZE)
    const page = await diffStates(ctx, { owner, repo: slug, from, to, limit: first ?? DEFAULT_PAGE_SIZE, after })
    return new Connection(page, after !== null)
  },
})
