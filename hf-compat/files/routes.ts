/** The files of a revision: the tree, one folder, and what is at some paths. */
import { z } from 'zod'
import type { Call } from '../engine/call.ts'
import { missing, Refusal } from '../engine/refusal.ts'
import { type Answer, type HfRoute, ofEachType, places, type RepoType } from '../engine/route.ts'
import { type FoundRepo, findRepo } from '../repos/find-repo.ts'
import { EXPANDED_PER_PAGE, renderExpanded } from './last-commits.ts'
import { type Entry, readEntries, readFiles, readFolder, withFolders } from './read-files.ts'
import { renderEntry } from './render-file.ts'

/** As many as the client asks for at once. */
const MAX_PATHS = 1000

const wantedPaths = z.object({
  paths: z.union([z.array(z.string()), z.string().transform((path) => [path])]),
  expand: z.union([z.boolean(), z.string().transform((word) => /^(?:1|true)$/i.test(word))]).optional(),
})

export const routes: readonly HfRoute[] = ofEachType((type): HfRoute[] => {
  const repo = `${places[type].api}/:owner/:name`
  const tree = (path: string): HfRoute => ({
    operation: 'hfTree',
    method: 'GET',
    path,
    documents: ['hf-find-repo', 'hf-moved-repo', 'hf-files', 'hf-last-commits'],
    answer: (call) => answerTree(call, type),
  })
  return [
    tree(`${repo}/tree/:revision`),
    tree(`${repo}/tree/:revision/*`),
    {
      operation: 'hfPathsInfo',
      method: 'POST',
      path: `${repo}/paths-info/:revision`,
      documents: ['hf-find-repo', 'hf-moved-repo', 'hf-entries', 'hf-last-commits'],
      async answer(call) {
        const { paths, expand = false } = call.body(wantedPaths)
        if (paths.length > MAX_PATHS)
          throw new Refusal(413, 'TooLarge', `${paths.length} paths; one request has at most ${MAX_PATHS}.`)
        const found = await findRepo(call, type)
        const asked = paths.map((path) => path.replace(/\/+$/, ''))
        return { body: await render(call, found, await readEntries(call, found, asked), expand) }
      },
    },
  ]
}).flat()

const render = (call: Call, found: FoundRepo, entries: readonly Entry[], isExpanded: boolean) =>
  isExpanded ? renderExpanded(call, found, entries) : entries.map(renderEntry)

/** A page that is expanded is smaller, as each of its entries costs more. */
const pageOf = (call: Call) => (call.isAsked('expand') ? { limit: EXPANDED_PER_PAGE } : {})

async function answerTree(call: Call, type: RepoType): Promise<Answer> {
  const found = await findRepo(call, type)
  const folder = call.param('*').replace(/\/+$/, '')
  const prefix = folder === '' ? '' : `${folder}/`
  const isRecursive = call.isAsked('recursive')
  const answer = isRecursive ? await wholeTree(call, found, prefix, type) : await oneFolder(call, found, prefix, type)
  if (prefix !== '' && (answer.body as readonly unknown[]).length === 0)
    throw missing('EntryNotFound', `${found.fullName} has no folder ${folder} at this revision.`)
  return answer
}

/** A page follows the same state, whatever `main` is by then: its address has the commit id. */
const sameState = (call: Call, { fullName, commitId }: FoundRepo, type: RepoType) => {
  const folder = call.param('*').split('/').map(encodeURIComponent).join('/')
  return `${places[type].api}/${fullName}/tree/${commitId}${folder === '' ? '' : `/${folder}`}`
}

async function wholeTree(call: Call, found: FoundRepo, prefix: string, type: RepoType): Promise<Answer> {
  const { items, nextCursor } = await readFiles(call, found, { ...pageOf(call), prefix, cursor: call.query('cursor') })
  const entries = withFolders(items, prefix, call.query('last') ?? '')
  const body = await render(call, found, entries, call.isAsked('expand'))
  if (nextCursor === null) return { body }
  const members = { cursor: nextCursor, last: items.at(-1)?.path ?? '' }
  return { body, headers: call.nextPage(members, sameState(call, found, type)) }
}

async function oneFolder(call: Call, found: FoundRepo, prefix: string, type: RepoType): Promise<Answer> {
  const startAt = call.query('start_at')
  const { entries, next } = await readFolder(call, found, { ...pageOf(call), prefix, startAt })
  const body = await render(call, found, entries, call.isAsked('expand'))
  return next === null ? { body } : { body, headers: call.nextPage({ start_at: next }, sameState(call, found, type)) }
}
