/** `GET` and `HEAD /v1/repos/{owner}/{repo}/resolve/{path}` (contract, "Uploads"): a stable URL of a file that `curl -L` and browsers can follow. */
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { resolveFile } from '../files/resolve-file.ts'
import type { RequestContext } from '../operation/context.ts'
import { HubError, invalid } from '../platform/errors.ts'
import { noneMatchCovers } from '../platform/etag.ts'
import { assertTexts } from './request-texts.ts'

type Params = { owner: string; repo: string; '*': string }
/** Other members were never refused here. */
type Query = { at?: string | string[] }

/** 302 to a signed URL with the verified SHA-256 as ETag, 304 if `If-None-Match` matches it; 404, 422, 503 as Problems. */
export function resolveRoute(contextOf: (request: FastifyRequest) => RequestContext) {
  return async (app: FastifyInstance): Promise<void> => {
    app.addHook('preHandler', assertTexts({ '*': 'path' }))
    const url = '/v1/repos/:owner/:repo/resolve/*'
    app.get<{ Params: Params; Querystring: Query }>(
      url,
      { config: { operation: 'resolveFile' } },
      async (request, reply) => {
        const { owner, repo, '*': path } = request.params
        const { at } = request.query
        if (Array.isArray(at)) throw invalid('validation.duplicate', '`at` is given more than once.', ['query', 'at'])
        const file = await resolveFile(contextOf(request), { owner, repo, path, at })
        // The target changes, so caches must revalidate, and must not share responses between callers.
        reply.headers({ 'cache-control': 'private, no-cache', vary: 'Authorization, Cookie' })
        if (file.sha256 !== null) {
          const etag = `"${file.sha256}"`
          reply.header('etag', etag)
          if (noneMatchCovers(request.headers['if-none-match'], etag)) return reply.code(304).send()
        }
        return reply.redirect(await file.sign(), 302)
      },
    )
    app.route({
      method: ['POST', 'PUT', 'PATCH', 'DELETE'],
      url,
      handler: async (request) => {
        const headers = { allow: 'GET, HEAD' }
        throw new HubError(
          'method.not_allowed',
          `${request.method} is not supported on this path; use ${headers.allow}.`,
          { headers },
        )
      },
    })
  }
}
