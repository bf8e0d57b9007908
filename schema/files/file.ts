/** Files of a repo: the tree as a connection, and its entries. Spec, "Files". */
import { briefMembers, type RepoFileEntry } from '../../src/files/file-entry.ts'
import { DEFAULT_TREE_LIMIT, MAX_TREE_LIMIT } from '../../src/files/limits.ts'
import { treeLimit, treePrefix } from '../../src/files/schemas.ts'
import { briefFilesOfRepos, type FilePage, filesOfRepos, listTree } from '../../src/files/tree.ts'
import { stateText } from '../../src/files/versions/state-name.ts'
import { listTreeAt } from '../../src/files/versions/tree-at.ts'
import { builder } from '../builder.ts'
import { Connection, forwardArgs, nodesOf } from '../connection.ts'
import { rule } from '../input-field.ts'
import { RepoType } from '../repos/repo.ts'
import { args, query } from '../root-field.ts'
import { selectsOnly } from '../selection.ts'

/** The argument that names a state. */
export const AT_TEXT =
  'A state of the repo: a change number (`12`), an RFC 3339 time, the id of a run that uses the repo as dataset ' +
  '(`run_…`), a commit id (40 hex digits), or the name of a snapshot (`v1`; one that starts with a digit is ' +
  'written `snapshot:005000`). Numbers and times need the right to write the repo.'

export const RepoFile = builder.objectRef<RepoFileEntry>('RepoFile').implement({
  description:
    'One file of a repo. Identified by its path: there are no directories, and uploading to a path again ' +
    'overwrites it.',
  fields: (t) => ({
    path: t.exposeString('path', { description: 'Relative to the repo, `/` between segments.' }),
    size: t.expose('size', { type: 'SafeInt', description: 'Bytes.' }),
    etag: t.exposeString('etag', { nullable: true, description: "The object store's ETag; not a content hash." }),
    sha256: t.exposeString('sha256', {
      nullable: true,
      description: 'SHA-256 computed by the hub, lowercase hex; null until the hub has hashed the bytes.',
    }),
    mime: t.exposeString('mime', { nullable: true, description: 'Detected media type.' }),
    updatedAt: t.expose('updatedAt', { type: 'DateTime', description: 'When this path was last written.' }),
  }),
})

export const RepoFileConnection = builder.connectionObject(
  {
    type: RepoFile,
    name: 'RepoFileConnection',
    description: 'A page of files, in byte order of path.',
    fields: (connection) => ({
      nodes: connection.field({ type: [RepoFile], description: 'The files.', resolve: nodesOf<RepoFileEntry> }),
    }),
  },
  { name: 'RepoFileEdge', description: 'A file and its cursor.' },
)

builder.objectField(RepoType, 'files', (t) =>
  t.loadable({
    type: RepoFileConnection,
    page: DEFAULT_TREE_LIMIT,
    byPath: true,
    description: `The files, in byte order of path, ${DEFAULT_TREE_LIMIT} a page unless \`first\` says otherwise (at most ${MAX_TREE_LIMIT}). One statement for any number of repos.`,
    args: {
      prefix: t.arg.string({ ...rule(treePrefix), description: 'Only paths that start with this prefix.' }),
      first: t.arg.int({ description: `Page size: 1 to ${MAX_TREE_LIMIT}.` }),
      after: t.arg.string({ description: '`endCursor` of the previous page.' }),
    },
    resolve: (repo) => repo.id,
    load: async (repoIds: string[], ctx, args, info) => {
      const { first, after } = forwardArgs(args, MAX_TREE_LIMIT)
      const asked = { repoIds, prefix: args.prefix ?? '', limit: first ?? DEFAULT_TREE_LIMIT, after }
      const isBrief = [['nodes'], ['edges', 'node']].every((path) => selectsOnly(info, path, briefMembers))
      const pages = await (isBrief ? briefFilesOfRepos(ctx, asked) : filesOfRepos(ctx, asked))
      // Of a brief entry nothing else is selected.
      return pages.map((page) => new Connection(page as FilePage, after !== null))
    },
  }),
)

query('tree', {
  type: RepoFileConnection,
  page: DEFAULT_TREE_LIMIT,
  nullable: true,
  description:
    'Files of a repo by owner and slug, like `Repo.files` but in one statement, or those of a state with `at`; ' +
    'null if the repo does not exist or is not visible to the caller.',
  scope: 'none',
  args: args((t) => ({
    owner: t.string({ required: true, description: 'Handle of the owner.' }),
    slug: t.string({ required: true, description: 'Slug of the repo.' }),
    prefix: t.string({ ...rule(treePrefix), description: 'Only paths that start with this prefix.' }),
    at: t.string({ ...rule(stateText), description: AT_TEXT }),
    startAt: t.string({
      ...rule(treePrefix),
      description: 'Only paths from this one on, in byte order: how a listing passes over a folder.',
    }),
    first: t.int({
      // For the OpenAPI document; `forwardArgs` enforces it.
      extensions: { zod: treeLimit.default(DEFAULT_TREE_LIMIT) },
      description: `Page size: 1 to ${MAX_TREE_LIMIT}, ${DEFAULT_TREE_LIMIT} by default.`,
    }),
    after: t.string({ description: '`endCursor` of the previous page.' }),
  })),
  read: async (ctx, { owner, slug, prefix, at, startAt, ...args }) => {
    const { first, after } = forwardArgs(args, MAX_TREE_LIMIT)
    const input = { owner, repo: slug, prefix: prefix ?? '', startAt, limit: first ?? DEFAULT_TREE_LIMIT, after }
    const page = at == null ? await listTree(ctx, input) : await listTreeAt(ctx, { ...input, at })
    return page && new Connection(page, after !== null)
  },
})
