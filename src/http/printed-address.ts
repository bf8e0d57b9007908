/**
 * Addresses of pages as Hugging Face's clients print them, and people paste them: a repo by the name that it has there,
 * one of its files at a revision, a commit. Pure.
 */
import { matchPage, pagePath } from '@hub/formats/page-paths'
import { slugOfName } from '@hub/formats/text-rules'
import { pathOf } from './logger.ts'

/** Of models, which have nothing before them; those of data sets are routes of the dialect. */
const PRINTED = /^\/([a-z0-9-]{1,64})\/([a-z0-9][\w.-]{0,63})(?:\/(blob|tree|commits?)\/([^/]+)(?:\/(.*))?)?\/?$/i
/** `/install/hub-0.0.1.tgz` is a missing file of the hub, whose name has the form of such a repo. */
const FILES = 'install'
/** Names of the current state: pages show no other one of a file. */
const isCurrent = (revision: string) => revision === 'main' || revision === 'HEAD'

/** The page that such an address means, with its query; null for every other one, and for a page as it stands. */
export function pageOfPrinted(url: string): string | null {
  const path = pathOf(url)
  const [, owner = '', name = '', word = '', revision = '', rest = ''] = PRINTED.exec(path) ?? []
  const page = matchPage(path)
  if (owner === '' || owner === FILES || (page !== null && !('repo' in page.params))) return null
  const repo = slugOfName(name)
  // `tree/main/x` of a slug is a page here, of the folder `main`: it looks whether there is one.
  if (repo === name && (word === '' || word === 'tree')) return null
  return `${pageAt({ owner, repo }, word, isCurrent(revision) ? decoded(rest) : null)}${url.slice(path.length)}`
}

/** The page for what follows the name. `file` is null for a state that pages show no files of. */
export function pageAt(
  repo: { readonly owner: string; readonly repo: string },
  word: string,
  file: string | null,
): string {
  if (word.startsWith('commit')) return pagePath('repoHistory', repo)
  return word === '' || !file ? pagePath('repo', repo) : pagePath('repoFiles', { ...repo, path: file })
}

function decoded(path: string): string | null {
  try {
    return decodeURIComponent(path)
  } catch {
    return null
  }
}
