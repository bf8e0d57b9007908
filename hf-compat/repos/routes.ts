/** Repos: what one is, and lists of them. */
import type { Call } from '../engine/call.ts'
import { type Answer, type HfRoute, ofEachType, places, type RepoType } from '../engine/route.ts'
import { readSiblings } from '../files/read-files.ts'
import { findRepo, noRepo } from './find-repo.ts'
import { answerList } from './list-repos.ts'
import { only, renderRepo, renderSibling } from './render-repo.ts'

export const routes: readonly HfRoute[] = ofEachType((type): HfRoute[] => {
  const { api } = places[type]
  const info = (path: string): HfRoute => ({
    operation: 'hfRepoInfo',
    method: 'GET',
    path,
    documents: ['hf-find-repo', 'hf-moved-repo', 'hf-repo-info', 'hf-files'],
    answer: (call) => answerInfo(call, type),
  })
  return [
    info(`${api}/:owner/:name`),
    info(`${api}/:owner/:name/revision/:revision`),
    {
      operation: 'hfAuthCheck',
      method: 'GET',
      path: `${api}/:owner/:name/auth-check`,
      documents: ['hf-find-repo', 'hf-moved-repo'],
      async answer(call) {
        await findRepo(call, type, '')
        return { body: {} }
      },
    },
    {
      operation: 'hfUnownedRepo',
      method: 'GET',
      path: `${api}/:name`,
      documents: [],
      answer(call) {
        throw noRepo(call, call.param('name'), type)
      },
    },
    {
      operation: 'hfListRepos',
      method: 'GET',
      path: api,
      documents: ['hf-list-repos', 'hf-files'],
      answer: (call) => answerList(call, type),
    },
  ]
}).flat()

async function answerInfo(call: Call, type: RepoType): Promise<Answer> {
  const found = await findRepo(call, type)
  const repo = await call.ask('hf-repo-info', { owner: found.owner, slug: found.slug })
  if (!repo) throw noRepo(call, found.fullName, type)
  const expand = call.queries('expand')
  const isWhole = expand.length === 0
  const body: Record<string, unknown> = { ...renderRepo(repo), sha: found.commitId }
  if (isWhole || expand.includes('siblings')) {
    const files = await readSiblings(call, found)
    body.siblings = files.map((file) => renderSibling(file, call.isAsked('blobs')))
  }
  return { body: isWhole ? body : only(body, expand) }
}
