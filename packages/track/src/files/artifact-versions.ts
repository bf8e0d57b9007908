/** The versions of an artifact that a repo has. */
import { type HubClient, ProblemError, type RepoName } from '@hub/client/internal'
import { contentOfDigests } from './artifact-folder.ts'

/** The number of a version, `v3`. */
export const numberOf = (version: string): number => Number(version.slice(1))

/** What each version below `artifacts/NAME` consists of; none of a repo that is not there yet. */
export async function versionsIn(client: HubClient, repo: RepoName, below: string): Promise<Map<string, string>> {
  const files = new Map<string, { readonly name: string; readonly sha256: string | null }[]>()
  try {
    for await (const page of client.tree(repo, `${below}/`))
      for (const { path, sha256 } of page) {
        const [, version, name] = /^(v\d{1,9})\/(.+)$/su.exec(path.slice(below.length + 1)) ?? []
        if (version === undefined || name === undefined) continue
        const found = files.get(version) ?? []
        found.push({ name, sha256 })
        files.set(version, found)
      }
  } catch (error) {
    if (!(error instanceof ProblemError && error.status === 404)) throw error
  }
  return new Map([...files].map(([version, found]) => [version, contentOfDigests(found)]))
}
