/** Branches, tags and commits: one branch, and snapshots as tags. */
import { z } from 'zod'
import { HubError } from '../../src/platform/errors.ts'
import type { Asked, Call } from '../engine/call.ts'
import { badRequest, missing, Refusal } from '../engine/refusal.ts'
import { type HfRoute, ofEachType, places, type RepoType } from '../engine/route.ts'
import { type FoundRepo, findRepo, isMain, MAIN, snapshotOf } from '../repos/find-repo.ts'

/** The largest page of the graph. */
const PER_PAGE = 100

const newTag = z.object({ tag: z.string(), message: z.string().nullish() })

const noBranches = () =>
  badRequest('This hub has one branch, main; others are not supported. A tag names a state of it.', 'NotSupported')

const repoOf = (type: RepoType) => `${places[type].api}/:owner/:name`

function readRoutes(type: RepoType): HfRoute[] {
  const repo = repoOf(type)
  return [
    {
      operation: 'hfRefs',
      method: 'GET',
      path: `${repo}/refs`,
      documents: ['hf-find-repo', 'hf-moved-repo', 'hf-tags'],
      async answer(call) {
        const found = await findRepo(call, type, MAIN)
        const branches = [{ name: MAIN, ref: `refs/heads/${MAIN}`, targetCommit: found.commitId }]
        const tags = await readTags(call, found)
        return { body: { branches, converts: [], tags, ...(call.isAsked('include_prs') && { pullRequests: [] }) } }
      },
    },
    {
      operation: 'hfCommits',
      method: 'GET',
      path: `${repo}/commits/:revision`,
      documents: ['hf-find-repo', 'hf-moved-repo', 'hf-commits'],
      async answer(call) {
        const { owner, slug, seq } = await findRepo(call, type)
        const limit = Math.min(Math.max(Number(call.query('limit')) || PER_PAGE, 1), PER_PAGE)
        const read = await call.ask('hf-commits', { owner, slug, limit, cursor: call.query('cursor') })
        const { items = [], pageInfo } = read?.commits ?? {}
        const body = items.filter((commit) => seq === null || commit.seq <= seq).map(renderCommit)
        const next = pageInfo?.hasNextPage ? pageInfo.endCursor : null
        return next === null ? { body } : { body, headers: call.nextPage({ cursor: next }) }
      },
    },
  ]
}

/** A tag is a snapshot. */
function tagRoutes(type: RepoType): HfRoute[] {
  const repo = repoOf(type)
  return [
    {
      operation: 'hfCreateTag',
      method: 'POST',
      path: `${repo}/tag/:revision`,
      documents: ['hf-find-repo', 'hf-moved-repo', 'hf-create-tag'],
      async answer(call) {
        const { tag, message } = call.body(newTag)
        const { owner, slug, commitId, fullName } = await findRepo(call, type)
        if (isMain(tag)) throw new Refusal(409, 'ConflictTaken', `${tag} is the branch of ${fullName}.`)
        await call.ask('hf-create-tag', {
          input: { owner, repo: slug, name: snapshotOf(tag), note: message, at: commitId },
        })
        return { body: {} }
      },
    },
    {
      operation: 'hfDeleteTag',
      method: 'DELETE',
      path: `${repo}/tag/:revision`,
      documents: ['hf-find-repo', 'hf-moved-repo', 'hf-delete-tag'],
      async answer(call) {
        const { owner, slug, fullName } = await findRepo(call, type, MAIN)
        const name = call.param('revision')
        await call
          .ask('hf-delete-tag', { input: { owner, repo: slug, name: snapshotOf(name) } })
          .catch((error: unknown) => {
            // The repo is there: what is missing is the tag, also where no tag can have this name.
            const isAbsent = error instanceof HubError && (error.status === 404 || error.status === 422)
            throw isAbsent ? missing('RevisionNotFound', `${fullName} has no tag ${name}.`) : error
          })
        return { body: {} }
      },
    },
  ]
}

/** Only `main` is there, and stays. */
function branchRoutes(type: RepoType): HfRoute[] {
  const repo = repoOf(type)
  return [
    {
      operation: 'hfCreateBranch',
      method: 'POST',
      path: `${repo}/branch/:revision`,
      documents: ['hf-find-repo', 'hf-moved-repo'],
      async answer(call) {
        const { fullName } = await findRepo(call, type, MAIN)
        if (call.param('revision') !== MAIN) throw noBranches()
        throw new Refusal(409, 'ConflictTaken', `${fullName} has the branch ${MAIN} already.`)
      },
    },
    {
      operation: 'hfDeleteBranch',
      method: 'DELETE',
      path: `${repo}/branch/:revision`,
      documents: ['hf-find-repo', 'hf-moved-repo'],
      async answer(call) {
        const { fullName } = await findRepo(call, type, MAIN)
        if (call.param('revision') === MAIN)
          throw new Refusal(403, 'Forbidden', `${MAIN} is the one branch of ${fullName}, and cannot be deleted.`)
        throw missing('RevisionNotFound', `${fullName} has no branch ${call.param('revision')}.`)
      },
    },
  ]
}

export const routes: readonly HfRoute[] = ofEachType((type) => [
  ...readRoutes(type),
  ...tagRoutes(type),
  ...branchRoutes(type),
]).flat()

interface HfRef {
  readonly name: string
  readonly ref: string
  readonly targetCommit: string
}

/** All tags of a repo, which has at most 1,000. */
async function readTags(call: Call, { owner, slug }: FoundRepo): Promise<HfRef[]> {
  const tags: HfRef[] = []
  let cursor: string | null = null
  do {
    const read: Asked<'hf-tags'> = await call.ask('hf-tags', { owner, slug, cursor })
    const page: NonNullable<Asked<'hf-tags'>>['snapshots'] | undefined = read?.snapshots
    tags.push(
      ...(page?.items ?? []).map(({ name: written, commit_id: targetCommit }) => {
        const name = written.replace(/^snapshot:/, '')
        return { name, ref: `refs/tags/${name}`, targetCommit }
      }),
    )
    cursor = page?.pageInfo.hasNextPage ? page.pageInfo.endCursor : null
  } while (cursor !== null)
  return tags
}

interface HfCommit {
  readonly commit_id: string
  readonly message: string | null
  readonly time: string
  readonly author: { readonly handle: string } | null
}

/** The first line of a message is its title. */
function renderCommit({ commit_id: id, message, time: date, author }: HfCommit) {
  const [title = '', ...rest] = (message ?? '').split('\n')
  const authors = author ? [{ user: author.handle }] : []
  return { id, title, message: rest.join('\n').trim(), date, authors }
}
