/** Linking bytes that the hub has already. Contract, "Uploads". */
import { MAX_FILES_PER_REQUEST } from '../../src/files/limits.ts'
import { type LinkedFiles as LinkedStored, linkStored } from '../../src/files/link-stored.ts'
import { fileToLink } from '../../src/files/schemas.ts'
import { builder } from '../builder.ts'
import { repoName, rule } from '../input-field.ts'
import { targetRepo } from '../repos/target-repo.ts'
import { input, mutation } from '../root-field.ts'
import { RepoFile } from './file.ts'
import { upTo } from './file-operations.ts'
import { messageField } from './message-input.ts'

const LinkedFiles = builder.objectRef<LinkedStored>('LinkedFiles').implement({
  description: 'The files that needed no upload, and those that do.',
  fields: (t) => ({
    files: t.field({
      most: MAX_FILES_PER_REQUEST,
      type: [RepoFile],
      description: 'In the order requested, without the missing ones.',
      resolve: ({ files }) => [...files],
    }),
    missing: t.field({
      most: MAX_FILES_PER_REQUEST,
      type: ['String'],
      description:
        'Paths of the files to upload: the hub lacks their bytes, or has them in no file that the caller can read.',
      resolve: ({ missing }) => [...missing],
    }),
  }),
})

const FileToLink = builder.inputType('FileToLink', {
  description: 'A file whose bytes the hub may already have.',
  fields: (t) => ({
    path: t.string({
      required: true,
      ...rule(fileToLink.shape.path),
      description: '1 to 1024 bytes; no leading `/`, no `.` or `..` segment.',
    }),
    size: t.field({ type: 'SafeInt', required: true, ...rule(fileToLink.shape.size), description: 'Size in bytes.' }),
    sha256: t.string({
      required: true,
      ...rule(fileToLink.shape.sha256),
      description: 'Lowercase hex SHA-256 of the bytes.',
    }),
    contentType: t.string({
      ...rule(fileToLink.shape.contentType),
      description: 'Media type, used if the hub cannot detect it.',
    }),
    ifNoneMatch: t.string({
      ...rule(fileToLink.shape.ifNoneMatch),
      description: '`*`: only if no file exists at the path (else 412).',
    }),
    ifMatch: t.string({
      ...rule(fileToLink.shape.ifMatch),
      description: 'Only if the file at the path has this SHA-256 (else 412).',
    }),
  }),
})

mutation('linkFiles', {
  type: LinkedFiles,
  description:
    'Links files whose bytes are, verified, in a file that the caller can read, as if they had been uploaded: ' +
    'also copies and renames without sending bytes. Found ones are linked all or none. 409 for a path that is a ' +
    'folder of the repo or below one of its files.',
  scope: 'key:write',
  target: targetRepo,
  input: input('The repo and the files to link.', (t) => ({
    ...repoName(t),
    files: t.field({
      type: [FileToLink],
      required: true,
      ...rule(upTo(MAX_FILES_PER_REQUEST)),
      description: '1 to 100 entries.',
    }),
    ...messageField(t),
  })),
  verb: linkStored,
})
