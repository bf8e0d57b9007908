/** The name of a repo, and where it stands in a path of `/v1`. */

/** `owner/slug`. */
export interface RepoName {
  readonly owner: string
  readonly slug: string
}

/** The parameters of a path below `/v1/repos/{owner}/{repo}`. */
export const of = ({ owner, slug }: RepoName) => ({ path: { owner, repo: slug } })
