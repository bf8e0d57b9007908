/** The sources of an operation whose path names a repo. */
import { body, path } from './route.ts'

export const repoPath = { owner: path('owner'), repo: path('repo') } as const
export const bodyOfRepo = { input: body(repoPath) } as const
/** What such a repo is called in a 404. */
export const missingRepo = 'The repo :owner/:repo'
