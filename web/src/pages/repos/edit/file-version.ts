/** Which version of a file, and of its repo, a person looks at: what a change is guarded by. */
import type { Client } from '@urql/core'
import { messageOf } from '../../../ui/problem.ts'
import { rootField } from '../../../ui/root-field.ts'
import type { FileRowFragment } from '../files/tree.graphql.ts'
import { fileVersionQuery } from './edit.graphql.ts'

export interface FileVersion {
  /** Of the repo's files as a whole. */
  readonly commitId: string
  /** Null where the repo has no such file. */
  readonly file: FileRowFragment | null
}

/** Asks the hub, not the cache. Rejects in words for a person. */
export async function fileVersion(client: Client, owner: string, repo: string, path: string): Promise<FileVersion> {
  const answer = await client
    .query(fileVersionQuery, { owner, repo, path }, { requestPolicy: 'network-only' })
    .toPromise()
  const { value, error } = rootField(answer, 'repo')
  if (error) throw new Error(messageOf(error))
  if (!value) throw new Error('The repo is not there any more, or you do not see it.')
  return { commitId: value.commitId, file: value.exact.nodes.find((one) => one.path === path) ?? null }
}

/** The same text for the same bytes; without a digest, for the same change. */
export const markOf = (file: Pick<FileRowFragment, 'sha256' | 'updatedAt'> | null): string | null =>
  file && (file.sha256 ?? file.updatedAt)
