/** Sources of an operation whose path identifies a repo. */
import { body, path } from '../engine/route.ts'

export const repoPath = { owner: path('owner'), repo: path('repo') } as const
export const bodyOfRepo = { input: body(repoPath) } as const
/** Name of such a repo in a 404 message. */
export const missingRepo = 'The repo :owner/:repo'
