/**
 * Pictures of accounts. They are users' bytes on the hub's own origin: never sniffed, sandboxed, and of a type that the
 * hub has looked at. Accounts are public, and so are their pictures.
 */
import type { FastifyInstance, FastifyPluginAsync, FastifyRequest } from 'fastify'
import type { Deps } from '../operation/context.ts'
import { notFound } from '../platform/errors.ts'
import { findAvatar } from '../profiles/avatar-objects.ts'
import { readJobBytes } from '../work/job-objects.ts'
import { abortOnCloseOf } from './request-context.ts'

type AvatarRequest = FastifyRequest<{ Params: { account: string; name: string } }>

/** A new picture has a new path, so that a browser never asks twice. */
const headers = {
  'cache-control': 'public, max-age=31536000, immutable',
  'content-security-policy': "sandbox; default-src 'none'",
  'cross-origin-resource-policy': 'same-origin',
  'x-content-type-options': 'nosniff',
}

/** `GET /users/{account_id}/avatar/{name}`: 404 for a picture that was replaced. */
export function avatarRoutes(deps: Deps): FastifyPluginAsync {
  return async (app: FastifyInstance) => {
    app.get('/users/:account/avatar/:name', async (request: AvatarRequest, reply) => {
      const { account, name } = request.params
      const found = await findAvatar(deps.db, account, name)
      if (!found) throw notFound('The picture')
      const etag = `"${name}"`
      reply.headers({ ...headers, etag })
      if (request.headers['if-none-match'] === etag) return reply.code(304).send()
      // Whole, since it is small: who takes it slowly would else hold one of the few connections to the store.
      const { signal } = abortOnCloseOf(request)
      const bytes = await readJobBytes(deps, found.key, 'The picture', { signal }).catch(async (error: unknown) => {
        // One that was replaced meanwhile is gone, and not lost.
        throw (await findAvatar(deps.db, account, name)) ? error : notFound('The picture')
      })
      return reply.type(found.contentType).send(bytes)
    })
  }
}
