/** The history of one path of a repo. Contract, "Versions". */

import { filePath } from '@hub/formats/file-path-rule'
import { DEFAULT_PAGE_SIZE } from '@hub/formats/text-rules'
import { type FileRevision, fileHistory } from '../../src/files/versions/file-history.ts'
import { Account } from '../accounts/account.ts'
import { builder, MAX_PAGE_SIZE } from '../builder.ts'
import { Connection, forwardArgs, nodesOf, pageArgs } from '../connection.ts'
import { rule } from '../input-field.ts'
import { args, query } from '../root-field.ts'
import { AUTHOR_TEXT, MESSAGE_TEXT } from './message-input.ts'
import { FileChangeKindEnum, FileVersion } from './versions.ts'

const FileRevisionType = builder.objectRef<FileRevision>('FileRevision').implement({
  description: 'A version of a repo since which one path has other bytes, or none.',
  fields: (t) => ({
    commitId: t.exposeString('commitId', { description: 'Names the version in `at`: 40 hex digits.' }),
    seq: t.exposeInt('seq', { description: 'Number of the change that led to the version.' }),
    message: t.exposeString('message', { nullable: true, description: MESSAGE_TEXT }),
    time: t.expose('time', { type: 'DateTime', description: 'When the change was made.' }),
    author: t.expose('author', {
      type: Account,
      nullable: true,
      description: AUTHOR_TEXT,
    }),
    snapshots: t.exposeStringList('snapshots', {
      most: 20,
      description: 'Names of snapshots of the version, which keep it.',
    }),
    change: t.expose('change', {
      type: FileChangeKindEnum,
      description: 'What became of the path since the entry before; `ADDED` for the first one that is left.',
    }),
    previousCommitId: t.exposeString('previousCommitId', {
      nullable: true,
      description: 'The version to compare with: that of the entry before; null for the first one that is left.',
    }),
    before: t.expose('before', {
      type: FileVersion,
      nullable: true,
      description: 'The bytes in the entry before; null if there were none.',
    }),
    after: t.expose('after', {
      type: FileVersion,
      nullable: true,
      description: 'The bytes in this version; null if the file was removed.',
    }),
  }),
})

const FileRevisions = builder.connectionObject(
  {
    type: FileRevisionType,
    name: 'FileRevisionConnection',
    description: 'A page of versions, newest first.',
    fields: (connection) => ({
      nodes: connection.field({
        type: [FileRevisionType],
        description: 'The versions.',
        resolve: nodesOf<FileRevision>,
      }),
    }),
  },
  { name: 'FileRevisionEdge', description: 'A version and its cursor.' },
)

query('fileHistory', {
  type: FileRevisions,
  description:
    'The versions in which one path of a repo was added, changed or removed, newest first. Those who can write ' +
    'the repo get all that are left; others the current one and those that snapshots name. Empty for a path that ' +
    'none of them has. A renamed file has another path, and its history begins with the rename.',
  scope: 'none',
  args: args((t) => ({
    owner: t.string({ required: true, description: 'Handle of the owner.' }),
    slug: t.string({ required: true, description: 'Slug of the repo.' }),
    path: t.string({ required: true, ...rule(filePath), description: 'Path of a file.' }),
    ...pageArgs(t),
  })),
  read: async (ctx, { owner, slug, path, ...given }) => {
    const { first, after } = forwardArgs(given, MAX_PAGE_SIZE)
    const page = await fileHistory(ctx, { owner, repo: slug, path, limit: first ?? DEFAULT_PAGE_SIZE, after })
    return new Connection(page, after !== null)
  },
})
