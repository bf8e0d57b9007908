/** `expand`: each entry with the commit since which it is as it is. Files are not scanned here, so that is null. */
import type { Call } from '../engine/call.ts'
import type { FoundRepo } from '../repos/find-repo.ts'
import type { Entry } from './read-files.ts'
import { renderEntry } from './render-file.ts'

/** The most paths that the graph takes at once, and so a page that is expanded. */
export const EXPANDED_PER_PAGE = 100

interface LastCommit {
  readonly id: string
  readonly title: string
  readonly date: string
}

/** The entries as `expand` shows them; `lastCommit` is null where the graph has none, for a folder of very many files. Asks once for each 100. */
export async function renderExpanded(call: Call, repo: FoundRepo, entries: readonly Entry[]) {
  const { owner, slug, commitId: commit } = repo
  const found = new Map<string, LastCommit>()
  for (let from = 0; from < entries.length; from += EXPANDED_PER_PAGE) {
    const paths = entries.slice(from, from + EXPANDED_PER_PAGE).map(pathOf)
    const read = await call.ask('hf-last-commits', { owner, slug, commit, paths })
    for (const { path, commit_id: id, message, time: date } of read?.at?.last_commits ?? [])
      found.set(path, { id, title: (message ?? '').split('\n', 1)[0] ?? '', date })
  }
  return entries.map((entry) => ({
    ...renderEntry(entry),
    lastCommit: found.get(pathOf(entry)) ?? null,
    ...(typeof entry !== 'string' && { securityFileStatus: null }),
  }))
}

const pathOf = (entry: Entry) => (typeof entry === 'string' ? entry : entry.path)
