/** The files of a repo as the viewers ask for them, through public fields. */
import type { Client, CombinedError } from '@urql/core'
import { messageOf, PageError, titleOf } from '../../ui/problem.ts'
import {
  type RepoFileSizesQueryVariables,
  repoFileSizesAtQuery,
  repoFileSizesQuery,
  signDownloadsMutation,
} from './repo-files.graphql.ts'

type FileSize = readonly [path: string, sizeBytes: number]

export interface RepoFiles {
  /** Files below a prefix, at most so many; null where there are more. One request for each 1,000. */
  list(prefix: string, most: number): Promise<readonly FileSize[] | null>
  /** Addresses of files for an hour, in the order of the paths; at most 100 of them. */
  sign(paths: readonly string[]): Promise<readonly string[]>
}

const PAGE = 1_000

/** `at`: the version that is meant, such as a commit id; null for the newest. Rejects in the words of the hub. */
export function repoFiles(client: Client, owner: string, repo: string, at: string | null = null): RepoFiles {
  return {
    async list(prefix, most) {
      const found: FileSize[] = []
      for (let after: string | null = null; ; ) {
        const variables = { owner, repo, prefix: prefix === '' ? null : prefix, first: Math.min(PAGE, most), after }
        const answer: Awaited<ReturnType<typeof asked>> = await asked(client, variables, at)
        found.push(...answer.nodes.map(({ path, size }) => [path, size] as const))
        if (!answer.pageInfo.hasNextPage) return found
        if (found.length >= most) return null
        after = answer.pageInfo.endCursor
      }
    },
    async sign(paths) {
      const { data, error } = await client
        .mutation(signDownloadsMutation, { owner, repo, paths: [...paths], at })
        .toPromise()
      if (error) throw inWords(error)
      const urls = new Map(data?.presignDownload?.files.map(({ path, url }) => [path, url]))
      return paths.map((path) => urls.get(path) ?? '')
    },
  }
}

/** What the hub answered, for whoever shows no more than a message. */
const inWords = (error: CombinedError) => new PageError(titleOf(error), messageOf(error), { cause: error })

async function asked(client: Client, variables: RepoFileSizesQueryVariables, at: string | null) {
  const fresh = { requestPolicy: 'network-only' } as const
  const { data, error } = await (at === null
    ? client.query(repoFileSizesQuery, variables, fresh)
    : client.query(repoFileSizesAtQuery, { ...variables, commitId: at }, fresh)
  ).toPromise()
  if (error) throw inWords(error)
  if (!data?.repo) {
    const name = `${variables.owner}/${variables.repo}`
    throw new PageError(`${name} is not there`, `${name} is not there, or you do not see it.`)
  }
  return 'at' in data.repo ? data.repo.at.files : data.repo.files
}
