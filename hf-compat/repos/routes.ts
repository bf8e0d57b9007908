/** Repos: what one is, and lists of them. */
import type { Call } from '../engine/call.ts'
import { badRequest } from '../engine/refusal.ts'
import { type Answer, type HfRoute, ofEachType, places, type RepoType } from '../engine/route.ts'
import { readSiblings } from '../files/read-files.ts'
import { findRepo, noRepo } from './find-repo.ts'
import { renderRepo, renderSibling } from './render-repo.ts'

/** The largest page of the graph. */
const PER_PAGE = 100

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
      documents: ['hf-list-repos'],
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

/** The members that a client asks for, next to the name. */
const only = (body: Readonly<Record<string, unknown>>, members: readonly string[]) =>
  Object.fromEntries(Object.entries(body).filter(([name]) => /^_?id$/.test(name) || members.includes(name)))

/** Only the newest first: the hub has neither likes nor downloads to sort by. */
const sorts: Readonly<Record<string, 'created' | 'updated'>> = { lastModified: 'updated', createdAt: 'created' }

/** Filters of other hubs: an answer without them would be of repos that were not asked for. */
const noFilters = ['apps', 'benchmark', 'inference', 'inference_provider', 'num_parameters', 'trained_dataset']

async function answerList(call: Call, type: RepoType): Promise<Answer> {
  const unknown = noFilters.find((name) => call.query(name) !== null)
  if (unknown !== undefined)
    throw badRequest(`This hub does not filter by ${unknown}: it has search, author, filter and sort.`, 'NotSupported')
  const wanted = Number(call.query('limit') ?? PER_PAGE)
  const limit = Number.isInteger(wanted) ? Math.min(Math.max(wanted, 1), PER_PAGE) : PER_PAGE
  const expand = call.queries('expand')
  const page = await call.ask('hf-list-repos', {
    kind: type,
    q: call.query('search'),
    owner: call.query('author'),
    label: [...call.queries('filter'), ...call.queries('pipeline_tag')],
    hasCard: ['full', 'cardData'].some((name) => call.isAsked(name)) || expand.includes('cardData'),
    sort: sorts[call.query('sort') ?? ''] ?? null,
    limit,
    cursor: call.query('cursor'),
  })
  const body = (page?.items ?? []).map(renderRepo).map((repo) => (expand.length === 0 ? repo : only(repo, expand)))
  const next = page?.pageInfo.hasNextPage ? page.pageInfo.endCursor : null
  return next === null ? { body } : { body, headers: call.nextPage({ cursor: next }) }
}
