/** The versions of an artifact that a repo has. */
import { type HubClient, ProblemError, type RepoName } from '@hub/client/internal'
import { contentOfDigests } from './artifact-folder.ts'

/** The number of a version, `v3`. */
const numberOf = (version: string): number => Number(version.slice(1))

/** Versions by artifact, for the one sender of a run. */
export interface KnownVersions {
  /** What each version below `artifacts/NAME` consists of. */
  of(repo: RepoName, below: string): Promise<ReadonlyMap<string, string>>
  /** A version has been pushed whole. */
  add(repo: RepoName, below: string, made: { readonly version: string; readonly content: string }): void
}

/** Lists an artifact once; after that it only asks whether someone else has made the next version meanwhile. */
export function knownVersions(client: HubClient): KnownVersions {
  const listed = new Map<string, Map<string, string>>()
  const placeOf = ({ owner, slug }: RepoName, below: string) => `${owner}/${slug}/${below}`
  return {
    async of(repo, below) {
      const place = placeOf(repo, below)
      const before = listed.get(place)
      if (before && !(await hasFiles(client, repo, `${below}/v${newestOf(before) + 1}`))) return before
      const now = await versionsIn(client, repo, below)
      listed.set(place, now)
      return now
    },
    add: (repo, below, { version, content }) => void listed.get(placeOf(repo, below))?.set(version, content),
  }
}

/** The number of the newest version; -1 of none. */
export const newestOf = (versions: ReadonlyMap<string, string>): number =>
  Math.max(-1, ...[...versions.keys()].map(numberOf))

async function hasFiles(client: HubClient, repo: RepoName, prefix: string): Promise<boolean> {
  try {
    for await (const page of client.tree(repo, prefix)) if (page.length > 0) return true
  } catch (error) {
    if (!(error instanceof ProblemError && error.status === 404)) throw error
  }
  return false
}

/** What each version below `artifacts/NAME` consists of; none of a repo that is not there yet. */
async function versionsIn(client: HubClient, repo: RepoName, below: string): Promise<Map<string, string>> {
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
