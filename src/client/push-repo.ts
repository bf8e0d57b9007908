/** The repo that a push goes to: found, or made if the caller says of which kind. */
import type { HubClient } from './hub-client.ts'
import { LocalError, ProblemError } from './problem.ts'
import type { RepoName } from './repo-name.ts'
import type { RepoKind, Visibility } from './v1.ts'

interface RepoToMake {
  readonly kind?: RepoKind | null
  readonly visibility?: Visibility
}

/** The kind to create the repo with; null if it exists. */
export async function missingKind(client: HubClient, repo: RepoName, options: RepoToMake): Promise<RepoKind | null> {
  try {
    const found = await client.getRepo(repo)
    if (options.kind && found.kind !== options.kind) {
      throw new LocalError(`${found.full_name} is a ${found.kind} repo, not a ${options.kind} repo.`)
    }
    return null
  } catch (error) {
    if (!(error instanceof ProblemError) || error.status !== 404) throw error
    if (options.kind) return options.kind
    error.message = `${repo.owner}/${repo.slug} does not exist or is not visible to you. To create it, add --kind dataset, model or robot.`
    throw error
  }
}

/** Makes the repo; one that another request makes at the same time is as good. */
export async function createRepo(
  client: HubClient,
  repo: RepoName,
  kind: RepoKind,
  options: RepoToMake,
): Promise<void> {
  try {
    await client.createRepo(repo, kind, options.visibility ?? 'private')
  } catch (error) {
    // A concurrent request may have created it.
    if (error instanceof ProblemError && error.status === 409) await client.getRepo(repo)
    else throw error
  }
}
