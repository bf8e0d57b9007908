/** The repo and the state that an address names, or the error by which the client knows which of them is not here. */
import { slugOfName } from '@hub/formats/text-rules'
import { HubError } from '../../src/platform/errors.ts'
import type { Call } from '../engine/call.ts'
import { missing, Refusal } from '../engine/refusal.ts'
import type { RepoType } from '../engine/route.ts'

/** A repo that the caller can see, of the type that the address says. */
export interface FoundRepo {
  readonly owner: string
  readonly slug: string
  readonly kind: 'dataset' | 'model' | 'robot'
  /** `owner/name`, by the name that the repo has for clients. */
  readonly fullName: string
  /** Commit id of the named revision; of `main` if the address names none. */
  readonly commitId: string
  /** Number of the change that led to the state; null for the current one. */
  readonly seq: number | null
}

/** The one branch. */
export const MAIN = 'main'

/** Names of the current state: the client for JavaScript asks for a model or a data set at `HEAD`. */
export const isMain = (revision: string): boolean => revision === MAIN || revision === 'HEAD'

/** A revision of this dialect is `main` or `HEAD`, else a tag, else a commit id: never a number, a time or a run. */
const COMMIT_ID = /^[0-9a-f]{40}$/

/**
 * The repo of a path with `:owner`, `:name` and perhaps `:revision`. Errors: 401 or 404 `RepoNotFound`, 404
 * `RevisionNotFound`. What is hidden and what is not here have the same answer.
 */
export function findRepo(call: Call, type: RepoType, revision = call.param('revision')): Promise<FoundRepo> {
  return findNamedRepo(call, type, { owner: call.param('owner'), name: call.param('name') }, revision)
}

/** The same for a repo that is named elsewhere. */
export async function findNamedRepo(
  call: Call,
  type: RepoType,
  { owner, name }: { readonly owner: string; readonly name: string },
  revision = '',
): Promise<FoundRepo> {
  const fullName = `${owner}/${name}`
  const isCurrent = revision === '' || isMain(revision)
  const state = COMMIT_ID.test(revision) ? revision : snapshotOf(revision)
  const noRevision = () => missing('RevisionNotFound', `${fullName} has no revision ${revision}, or it is gone.`)
  const repo = await call
    .ask('hf-find-repo', { owner, name, hasState: !isCurrent, ...(!isCurrent && { state }) })
    .catch((error: unknown) => {
      // The document has one place that can fail so: the state that the revision names.
      throw error instanceof HubError && (error.status === 404 || error.status === 422) ? noRevision() : error
    })
  if (!repo || typeOf(repo.kind) !== type)
    throw (await movedTo(call, type, { owner, name })) ?? noRepo(call, fullName, type)
  const { slug, kind } = repo
  const found = { owner, slug, kind, fullName: `${owner}/${repo.hf_name ?? slug}` }
  if (isCurrent) return { ...found, commitId: repo.commit_id, seq: null }
  if (!repo.at?.commit_id) throw noRevision()
  return { ...found, commitId: repo.at.commit_id, seq: repo.at.seq }
}

/** 308 to the same address of a repo that was moved, for callers who see it; null if none was. */
async function movedTo(
  call: Call,
  type: RepoType,
  { owner, name }: { readonly owner: string; readonly name: string },
): Promise<Refusal | null> {
  const repo = await call.ask('hf-moved-repo', { owner, slug: slugOfName(name) })
  if (!repo || typeOf(repo.kind) !== type) return null
  const [before, after] = [`${owner}/${name}`, `${repo.owner.handle}/${repo.hf_name ?? repo.slug}`]
  const { url } = call.request
  const place = url.indexOf(`/${before}`)
  // A body may name the repo: then there is no address to send the client to.
  if (place < 0) return null
  const location = `${url.slice(0, place)}/${after}${url.slice(place + before.length + 1)}`
  return new Refusal(308, 'Moved', `${before} is ${after} now.`, { headers: { location } })
}

/** How the graph writes the snapshot that is a tag here: a tag may begin with a digit. */
export const snapshotOf = (tag: string): string => `snapshot:${tag}`

/** A robot is read as a model. */
export const typeOf = (kind: FoundRepo['kind']): RepoType => (kind === 'dataset' ? 'dataset' : 'model')

/**
 * What is hidden and what is not here: 401 for who might see it with a key, as the client expects it, else 404. Both
 * have the code that raises `RepositoryNotFoundError`, and say how a repo of Hugging Face comes here.
 */
export function noRepo(call: Call, fullName: string, type: RepoType): Refusal {
  const source = `hf://${type === 'dataset' ? 'datasets/' : ''}${fullName}`
  // A sentence that someone may paste into a shell holds nothing that a shell reads.
  const how = /^[\w.-]+(?:\/[\w.-]+)?$/.test(fullName) ? ` Not here: hub import ${source}` : ''
  const detail = `${fullName} is not on this hub, or not visible to you.${how}`
  return new Refusal(call.hasCredential ? 404 : 401, 'RepoNotFound', detail)
}
