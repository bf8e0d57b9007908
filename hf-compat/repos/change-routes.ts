/** Creating, deleting and setting up repos. */
import { z } from 'zod'
import { HubError } from '../../src/platform/errors.ts'
import { MAX_HEADER_CHARACTERS, readHeader } from '../../src/platform/readme-header.ts'
import type { Call } from '../engine/call.ts'
import { badRequest, missing, Refusal } from '../engine/refusal.ts'
import { type HfRoute, ofEachType, places, type RepoType } from '../engine/route.ts'
import { findNamedRepo, findRepo } from './find-repo.ts'
import { nameOf } from './render-repo.ts'

/** `type` is left out for a model. */
const repoType = z.enum(['model', 'dataset', 'space', 'kernel', 'bucket']).nullish()
const namedRepo = z.object({ name: z.string(), organization: z.string().nullish(), type: repoType })
const wantedVisibility = {
  /** What older clients send. */
  private: z.boolean().nullish(),
  visibility: z.string().nullish(),
}
const newRepo = namedRepo.extend(wantedVisibility)
const move = z.object({ fromRepo: z.string(), toRepo: z.string(), type: repoType })
const readme = z.object({ content: z.string() })
const settings = z.object({ ...wantedVisibility, gated: z.unknown().optional() })

const unchecked = {
  message: `The header of README.md has more than ${MAX_HEADER_CHARACTERS} characters, and is not checked.`,
}

export const routes: readonly HfRoute[] = [
  {
    operation: 'hfCreateRepo',
    method: 'POST',
    path: '/api/repos/create',
    documents: ['hf-create-repo', 'hf-find-repo', 'hf-moved-repo', 'hf-whoami'],
    async answer(call) {
      const wanted = call.body(newRepo)
      const type = typeIn(wanted.type)
      const { owner, name } = await nameIn(call, wanted)
      const input = { kind: type, owner, hfName: name, visibility: visibilityIn(wanted) }
      const made = await call.ask('hf-create-repo', { input }).catch((error: unknown) => {
        throw error instanceof HubError && error.type === 'conflict.taken'
          ? taken(call, type, owner, name, error)
          : error
      })
      const fullName = made ? nameOf(made.repo) : `${owner}/${name}`
      return { body: { url: addressOf(call, type, fullName), name: fullName, id: fullName } }
    },
  },
  {
    operation: 'hfDeleteRepo',
    method: 'DELETE',
    path: '/api/repos/delete',
    documents: ['hf-delete-repo', 'hf-find-repo', 'hf-moved-repo', 'hf-whoami'],
    async answer(call) {
      const wanted = call.body(namedRepo)
      const { owner, slug } = await findNamedRepo(call, typeIn(wanted.type), await nameIn(call, wanted))
      await call.ask('hf-delete-repo', { input: { owner, repo: slug } })
      return { body: {} }
    },
  },
  {
    operation: 'hfMoveRepo',
    method: 'POST',
    path: '/api/repos/move',
    documents: ['hf-move-repo', 'hf-find-repo', 'hf-moved-repo'],
    async answer(call) {
      const { fromRepo, toRepo, type } = call.body(move)
      const { owner: fromOwner, slug } = await findNamedRepo(call, typeIn(type), splitName(fromRepo))
      const { owner, name: hfName } = splitName(toRepo)
      await call.ask('hf-move-repo', { input: { fromOwner, fromRepo: slug, owner, hfName } })
      return { body: {} }
    },
  },
  {
    operation: 'hfValidateYaml',
    method: 'POST',
    path: '/api/validate-yaml',
    documents: [],
    answer(call) {
      const { content } = call.body(readme)
      const { fault, isTooLong } = readHeader(content)
      if (fault === null || isTooLong) return { body: { errors: [], warnings: isTooLong ? [unchecked] : [] } }
      throw new Refusal(400, 'InvalidYaml', fault, { body: { errors: [{ message: fault }], warnings: [] } })
    },
  },
  ...ofEachType(
    (type): HfRoute => ({
      operation: 'hfSettings',
      method: 'PUT',
      path: `${places[type].api}/:owner/:name/settings`,
      documents: ['hf-update-repo', 'hf-find-repo', 'hf-moved-repo'],
      async answer(call) {
        const wanted = call.body(settings)
        if (wanted.gated) throw badRequest('This hub has no gated repos: a repo is private or public.', 'NotSupported')
        const { owner, slug } = await findRepo(call, type, '')
        const visibility = visibilityIn(wanted)
        if (visibility !== null) await call.ask('hf-update-repo', { input: { owner, repo: slug, visibility } })
        return { body: { private: visibility === 'private' } }
      },
    }),
  ),
]

function typeIn(type: z.output<typeof repoType>): RepoType {
  if (type == null || type === 'model') return 'model'
  if (type === 'dataset') return 'dataset'
  throw missing('RepoNotFound', `This hub has no ${type}s: it has data sets, models and robots.`)
}

function splitName(fullName: string) {
  const [owner = '', name = ''] = fullName.split('/')
  return { owner, name }
}

/** A name without an owner is one of the caller's account. */
async function nameIn(call: Call, { name, organization }: z.output<typeof namedRepo>) {
  const [before, after] = name.split('/', 2)
  if (before !== undefined && after !== undefined) return { owner: before, name: after }
  if (organization) return { owner: organization, name }
  const viewer = await call.ask('hf-whoami', {})
  return { owner: viewer?.account.handle ?? '', name }
}

/** Null where the client says nothing: a repo is private then. */
function visibilityIn({
  visibility,
  private: isPrivate,
}: z.output<z.ZodObject<typeof wantedVisibility>>): 'private' | 'public' | null {
  if (visibility === 'private' || visibility === 'public') return visibility
  if (visibility != null) throw badRequest(`A repo is private or public, and not ${visibility}.`, 'NotSupported')
  if (isPrivate == null) return null
  return isPrivate ? 'private' : 'public'
}

/** The page of a repo, as `RepoUrl` takes it apart. */
const addressOf = (call: Call, type: RepoType, fullName: string) => `${call.origin}${places[type].files}/${fullName}`

/** 409 for the very same repo, with its address, which the client reads; 400 for another one of this slug. */
function taken(call: Call, type: RepoType, owner: string, name: string, error: HubError): Refusal {
  const fullName = `${owner}/${name}`
  if (error.items[0]?.is_same !== true) return badRequest(error.message, 'ConflictTaken')
  const url = addressOf(call, type, fullName)
  return new Refusal(409, 'ConflictTaken', `You already created this ${type} repo: ${fullName}.`, { body: { url } })
}
