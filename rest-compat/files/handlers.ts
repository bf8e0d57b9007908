/**
 * `GET` and `HEAD /v1/repos/{owner}/{repo}/resolve/{path}` (contract, "Uploads"): a stable URL of a file that `curl -L`
 * and browsers can follow.
 */
import type { FastifyRequest } from 'fastify'
import { resolveFile } from '../../src/files/resolve-file.ts'
import { invalid } from '../../src/platform/errors.ts'
import { noneMatchCovers } from '../../src/platform/etag.ts'
import { everywhere, openToAll, problem, segment, text } from '../engine/handler-openapi.ts'
import type { HandlerRoute } from '../engine/handler-route.ts'
import { archive } from './archive.ts'

type ResolveRequest = FastifyRequest<{
  Params: { owner: string; repo: string; '*': string }
  /** Other members were never refused here. */
  Querystring: { at?: string | string[] }
}>

/**
 * 302 to a signed URL with the verified SHA-256 as ETag, 304 if `If-None-Match` matches it; 404, 422, 503 as Problems.
 */
const resolve: HandlerRoute = {
  operation: 'resolveFile',
  method: 'GET',
  path: '/v1/repos/:owner/:repo/resolve/*',
  rest: 'path',
  answersHead: true,
  openApi: {
    summary: 'A stable address of a file',
    description:
      'Redirects to a presigned URL of the current file, or of the file in a state, so that `curl -L`, a viewer ' +
      'or a browser can read it.\n\nScope: `none`.',
    tags: ['repos'],
    ...openToAll,
    parameters: [
      segment('owner', 'Handle of the owner.'),
      segment('repo', 'Slug of the repo.'),
      segment('path', 'Path of the file; `/` is not escaped.'),
      { name: 'at', in: 'query', schema: text, description: 'A state of the repo, as in `GET …/tree`.' },
      { name: 'If-None-Match', in: 'header', schema: text, description: '304 if the ETag still matches.' },
    ],
    responses: {
      '302': {
        description: 'Redirect to the presigned URL, which is valid for one hour.',
        headers: {
          Location: { schema: { type: 'string', format: 'uri' }, required: true },
          ETag: { schema: text, description: 'The SHA-256, once the hub has computed it.' },
        },
      },
      '304': { description: 'Not modified: the ETag still matches.' },
      '403': problem('Not allowed'),
      '404': problem('Not found'),
      '422': problem('Invalid file path'),
      ...everywhere,
    },
  },
  async handle(edge, request: ResolveRequest, reply) {
    const { owner, repo, '*': path } = request.params
    const { at } = request.query
    if (Array.isArray(at)) throw invalid('validation.duplicate', '`at` is given more than once.', ['query', 'at'])
    const file = await resolveFile(edge.contextOf(request), { owner, repo, path, at })
    // The target changes, so caches must revalidate, and must not share responses between callers.
    reply.headers({ 'cache-control': 'private, no-cache', vary: 'Authorization, Cookie' })
    if (file.sha256 !== null) {
      const etag = `"${file.sha256}"`
      reply.header('etag', etag)
      if (noneMatchCovers(request.headers['if-none-match'], etag)) return reply.code(304).send()
    }
    return reply.redirect(await file.sign(), 302)
  },
}

export const handlers: readonly HandlerRoute[] = [resolve, archive]
