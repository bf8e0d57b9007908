/** Lists of repos. Robots are models here: the graph lists one kind, so a page of models is two pages merged. */
import type { Asked, Call } from '../engine/call.ts'
import { badRequest } from '../engine/refusal.ts'
import type { Answer, RepoType } from '../engine/route.ts'
import { listedCount, readListedFiles } from '../files/read-files.ts'
import type { FoundRepo } from './find-repo.ts'
import { mergePages, type SortedPage } from './merge-pages.ts'
import { only, renderRepo, renderSibling } from './render-repo.ts'

/** The largest page of the graph. */
const PER_PAGE = 100

/** Files of `siblings` of one page of a list: with more the page ends earlier, and goes on at its `Link`. */
const FILES_PER_PAGE = 10_000

/** Only the newest first: the hub has neither likes nor downloads to sort by. */
const sorts: Readonly<Record<string, 'created' | 'updated'>> = { lastModified: 'updated', createdAt: 'created' }

/** Filters of other hubs: an answer without them would be of repos that were not asked for. */
const noFilters = ['apps', 'benchmark', 'inference', 'inference_provider', 'num_parameters', 'trained_dataset']

const kindsOf: Readonly<Record<RepoType, readonly FoundRepo['kind'][]>> = {
  model: ['model', 'robot'],
  dataset: ['dataset'],
}

/** Between the cursors of kinds, none of which has it. */
const BETWEEN = '~'

type Listed = NonNullable<Asked<'hf-list-repos'>>['items'][number]

/** A page of the repos of a type that the client's filters leave. */
export async function answerList(call: Call, type: RepoType): Promise<Answer> {
  const unknown = noFilters.find((name) => call.query(name) !== null)
  if (unknown !== undefined)
    throw badRequest(`This hub does not filter by ${unknown}: it has search, author, filter and sort.`, 'NotSupported')
  const wanted = Number(call.query('limit') ?? PER_PAGE)
  const limit = Number.isInteger(wanted) ? Math.min(Math.max(wanted, 1), PER_PAGE) : PER_PAGE
  const sort = sorts[call.query('sort') ?? ''] ?? 'created'
  const kinds = kindsOf[type]
  const cursors = call.query('cursor')?.split(BETWEEN) ?? kinds.map(() => '')
  if (cursors.length !== kinds.length) throw badRequest('The cursor is of another listing.')
  const expand = call.queries('expand')
  const pages: SortedPage<Listed>[] = []
  for (const [at, kind] of kinds.entries()) {
    const page = await call.ask('hf-list-repos', {
      kind,
      q: call.query('search'),
      owner: call.query('author'),
      label: [...call.queries('filter'), ...call.queries('pipeline_tag')],
      hasCard: ['full', 'cardData'].some((name) => call.isAsked(name)) || expand.includes('cardData'),
      sort,
      limit,
      cursor: cursors[at] || null,
    })
    pages.push({ items: page?.items ?? [], hasNext: page?.pageInfo.hasNextPage ?? false, after: cursors[at] ?? '' })
  }
  const isBefore = sort === 'created' ? isNewer : isFresher
  const hasFiles = call.isAsked('full') || expand.includes('siblings')
  const merged = mergePages(pages, limit, isBefore)
  const { items, next } = hasFiles ? mergePages(pages, fitting(merged.items), isBefore) : merged
  const body: unknown[] = []
  for (const { repo } of items) {
    const files = hasFiles ? await readListedFiles(call, repo) : null
    const members = { ...renderRepo(repo), ...(files && { siblings: files.map((file) => renderSibling(file, false)) }) }
    body.push(expand.length === 0 ? members : only(members, expand))
  }
  return next === null ? { body } : { body, headers: call.nextPage({ cursor: next.join(BETWEEN) }) }
}

/** How many of the repos have the files that a page may have. Of the first ones they always fit. */
function fitting(items: readonly Listed[]): number {
  let files = 0
  const end = items.findIndex(({ repo }) => {
    files += listedCount(repo)
    return files > FILES_PER_PAGE
  })
  return end < 0 ? items.length : end
}

/** In the order of the graph: ids sort by the time of creation. */
const isNewer = ({ repo: a }: Listed, { repo: b }: Listed) => a.id > b.id

const isFresher = ({ repo: a }: Listed, { repo: b }: Listed) =>
  a.updated_at === b.updated_at ? a.id > b.id : a.updated_at > b.updated_at
