/** Commits: many changes as one. */
import { HubError } from '../../src/platform/errors.ts'
import type { Call } from '../engine/call.ts'
import { missing } from '../engine/refusal.ts'
import { type Answer, type HfRoute, ofEachType, places, type RepoType } from '../engine/route.ts'
import { findRepo } from '../repos/find-repo.ts'
import { readCommit, type StoreContents } from './read-commit.ts'
import { assertMain } from './revision-rules.ts'

export const routes: readonly HfRoute[] = ofEachType((type) => ({
  operation: 'hfCommit',
  method: 'POST',
  path: `${places[type].api}/:owner/:name/commit/:revision`,
  documents: ['hf-find-repo', 'hf-moved-repo', 'hf-store-blobs', 'hf-commit-files'],
  streamsBody: true,
  answer: (call) => answerOrUndo(call, type),
}))

/**
 * A commit that fails, or whose client leaves, keeps no place of what it stored. Only what a hub that dies has stored
 * waits for collection.
 */
async function answerOrUndo(call: Call, type: RepoType): Promise<Answer> {
  try {
    return await answerCommit(call, type)
  } catch (error) {
    await call.undo()
    throw error
  }
}

/** The body is read as it comes: contents go to the store, and the graph makes all changes or none. */
async function answerCommit(call: Call, type: RepoType): Promise<Answer> {
  assertMain(call)
  const { owner, slug: repo, fullName, commitId } = await findRepo(call, type)
  const store: StoreContents = async (contents) => {
    const stored = await call.ask('hf-store-blobs', { input: { owner, repo, contents } })
    return stored?.blobs ?? []
  }
  const changes = await readCommit(call.stream(), store, call.holding())
  const made = await call.ask('hf-commit-files', { input: { owner, repo, ...changes } }).catch((error: unknown) => {
    // The repo is there: what is missing is a path that the commit deletes.
    throw error instanceof HubError && error.status === 404 ? missing('EntryNotFound', error.message) : error
  })
  const commitOid = made?.commit_id ?? commitId
  const commitUrl = `${call.origin}${places[type].files}/${fullName}/commit/${commitOid}`
  return { body: { success: true, commitOid, commitUrl, pullRequestUrl: null, hookOutput: '' } }
}
