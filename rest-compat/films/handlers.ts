/** `GET` and `HEAD …/episode-films/{film_id}/file`: an address of a film that stays, as links and READMEs name it. */
import type { FastifyRequest } from 'fastify'
import { filmFile } from '../../src/films/sign-film.ts'
import { everywhere, openToAll, problem, segment, text } from '../engine/handler-openapi.ts'
import type { HandlerRoute } from '../engine/handler-route.ts'
import { redirectToStore } from '../engine/redirect-to-store.ts'

type FileRequest = FastifyRequest<{ Params: { owner: string; repo: string; film_id: string } }>

/** 302 to a signed URL with the SHA-256 as ETag, 304 if `If-None-Match` matches it; 404, 422, 503 as Problems. */
const file: HandlerRoute = {
  operation: 'getEpisodeFilmFile',
  method: 'GET',
  path: '/v1/repos/:owner/:repo/episode-films/:film_id/file',
  answersHead: true,
  openApi: {
    summary: 'A stable address of a film of an episode',
    description: 'Redirects to a presigned URL of the picture or the video.\n\nScope: `none`.',
    tags: ['repos'],
    ...openToAll,
    parameters: [
      segment('owner', 'Handle of the owner.'),
      segment('repo', 'Slug of the data set, or of the model.'),
      segment('film_id', 'Id of the film.'),
      { name: 'If-None-Match', in: 'header', schema: text, description: '304 if the ETag still matches.' },
    ],
    responses: {
      '302': {
        description: 'Redirect to the presigned URL, which is valid for one hour.',
        headers: {
          Location: { schema: { type: 'string', format: 'uri' }, required: true },
          ETag: { schema: text, required: true, description: 'The SHA-256.' },
        },
      },
      '304': { description: 'Not modified: the ETag still matches.' },
      '403': problem('Not allowed'),
      '404': problem('Not found'),
      '422': problem('Invalid input'),
      ...everywhere,
    },
  },
  async handle(edge, request: FileRequest, reply) {
    const { owner, repo, film_id: filmId } = request.params
    const film = await filmFile(edge.contextOf(request), { owner, repo, filmId })
    return redirectToStore(request, reply, { sha256: film.sha256, sign: () => film.url })
  },
}

export const handlers: readonly HandlerRoute[] = [file]
