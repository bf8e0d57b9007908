/** Since which commit a state has at some paths what it has there. */
import { plainText } from '@hub/formats/text-rules'
import { z } from 'zod'
import { MAX_PREFIX_LENGTH } from '../../src/files/limits.ts'
import {
  type LastCommit,
  lastCommitsOf,
  MAX_LARGE_VERSIONS,
  MAX_LAST_COMMIT_PATHS,
  MAX_NEWEST_FILES,
} from '../../src/files/versions/last-commits.ts'
import { builder } from '../builder.ts'
import { rule } from '../input-field.ts'
import { MESSAGE_TEXT } from './message-input.ts'
import { RepoStateType } from './state.ts'

const LastCommitType = builder.objectRef<LastCommit>('RepoLastCommit').implement({
  description:
    'Since which commit a path is as a state has it: the first one that the caller is listed, or else that of the ' +
    'state.',
  fields: (t) => ({
    path: t.exposeString('path', { description: 'The path that was asked for.' }),
    commitId: t.exposeString('commitId', { description: 'Names the commit in `at`: 40 hex digits.' }),
    message: t.exposeString('message', { nullable: true, description: MESSAGE_TEXT }),
    time: t.expose('time', { type: 'DateTime', description: 'When the change was made.' }),
  }),
})

builder.objectField(RepoStateType, 'lastCommits', (t) =>
  t.field({
    type: [LastCommitType],
    most: MAX_LAST_COMMIT_PATHS,
    // What is read is far more than what is answered: see `MAX_LARGE_VERSIONS`.
    work: 1000,
    description:
      `Since which commit some paths are as they are, at most ${MAX_LAST_COMMIT_PATHS}, in their order. A path that ` +
      `it does not have is left out, and so is a folder with more versions of files than its share of ` +
      `${MAX_LARGE_VERSIONS} that was last changed before the newest ${MAX_NEWEST_FILES} files of the repo. At most two ` +
      'statements.',
    args: {
      paths: t.arg.stringList({
        required: true,
        ...rule(z.array(plainText(MAX_PREFIX_LENGTH)).max(MAX_LAST_COMMIT_PATHS)),
        description: 'Paths of files or folders.',
      }),
    },
    resolve: (state, { paths }, ctx) => lastCommitsOf(ctx, state, paths),
  }),
)
