/** The repo that a push goes to: found, or made if the caller says of which kind. */
import type { HubClient } from './hub-client.ts'
import { LocalError, ProblemError } from './problem.ts'
import type { RepoName } from './repo-name.ts'
import type { RepoKind, Visibility } from './v1.ts'

interface RepoToMake {
  readonly kind?: RepoKind | null
  readonly visibility?: Visibility
}

interface RepoToFind extends RepoToMake {
  /** Sends nothing: everyone who can read the repo may see what a push would do. */
  readonly dryRun?: boolean
}

/**
 * The kind to create the repo with; null if it exists. Rejects with the hub's 403 where the caller may not write it.
 */
export async function missingKind(client: HubClient, repo: RepoName, options: RepoToFind): Promise<RepoKind | null> {
  try {
    // A change of nothing needs the right to write and writes nothing: else a push with nothing to send would succeed
    // without it, and one with much to send would hash it all first.
    const found = await (options.dryRun ? client.getRepo(repo) : client.updateRepo(repo, {}))
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
