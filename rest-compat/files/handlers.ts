/**
 * `GET` and `HEAD /v1/repos/{owner}/{repo}/resolve/{path}` (contract, "Uploads"): a stable URL of a file that `curl -L`
 * and browsers can follow. `…/archive` (contract, "A folder as an archive"): a folder as one ZIP. `…/blobs/archive`
 * (contract, "Commits of many files"): many small files in one request.
 */
import { Readable } from 'node:stream'
import type { FastifyRequest } from 'fastify'
import { findArchive } from '../../src/files/archive/open-archive.ts'
import { storeArchive } from '../../src/files/blobs/store-blobs.ts'
import { MAX_CONTENT_ARCHIVE_BYTES, MAX_INLINE_FILES } from '../../src/files/limits.ts'
import { resolveFile } from '../../src/files/resolve-file.ts'
import { invalid } from '../../src/platform/errors.ts'
import { noneMatchCovers } from '../../src/platform/etag.ts'
import { attachment } from '../../src/store/objects/content-disposition.ts'
import { everywhere, forWriters, openToAll, problem, segment, text } from '../engine/handler-openapi.ts'
import type { HandlerRoute } from '../engine/handler-route.ts'
import { redirectToStore } from '../engine/redirect-to-store.ts'

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
    return redirectToStore(request, reply, file)
  },
}

type ArchiveRequest = FastifyRequest<{
  Params: { owner: string; repo: string }
  /** Other members are ignored, as `resolve` ignores them. */
  Querystring: { path?: string | string[]; at?: string | string[] }
}>

/** 200 with the ZIP and its length, 304 if `If-None-Match` matches; errors as Problems before the first byte. */
const archive: HandlerRoute = {
  operation: 'downloadArchive',
  method: 'GET',
  path: '/v1/repos/:owner/:repo/archive',
  answersHead: true,
  openApi: {
    summary: 'A folder as one ZIP',
    description:
      'The files of a folder in one version, stored without compression. The same version has the same bytes: every ' +
      'file has the date of the version. A file that the store has lost, or has other bytes of, breaks the ' +
      'connection before `Content-Length` is reached.\n\nScope: `none`.',
    tags: ['repos'],
    ...openToAll,
    parameters: [
      segment('owner', 'Handle of the owner.'),
      segment('repo', 'Slug of the repo.'),
      { name: 'path', in: 'query', schema: text, description: 'The folder; the whole repo if absent.' },
      { name: 'at', in: 'query', schema: text, description: 'A version of the repo, as in `GET …/tree`.' },
      { name: 'If-None-Match', in: 'header', schema: text, description: '304 if the ETag still matches.' },
    ],
    responses: {
      '200': {
        description: 'The archive.',
        headers: {
          'Content-Disposition': { schema: text, required: true },
          'Content-Length': { schema: { type: 'integer' }, required: true },
          ETag: { schema: text, required: true, description: 'The same for the same version, folder and name.' },
        },
        content: { 'application/zip': { schema: { type: 'string', format: 'binary' } } },
      },
      '304': { description: 'Not modified: the ETag still matches.' },
      '403': problem('Not allowed'),
      '404': problem('Not found'),
      '413': problem('Too large'),
      '422': problem('Invalid file path, Invalid value'),
      ...everywhere,
    },
  },
  async handle(edge, request: ArchiveRequest, reply) {
    const { owner, repo } = request.params
    const found = await edge.admit(request, () =>
      findArchive(edge.contextOf(request), {
        owner,
        repo,
        path: onlyOne(request, 'path') ?? '',
        at: onlyOne(request, 'at'),
      }),
    )
    const { etag } = found
    reply.headers({ etag, 'cache-control': 'private, no-cache', vary: 'Authorization, Cookie' })
    if (noneMatchCovers(request.headers['if-none-match'], etag)) return reply.code(304).send()
    // Before its files are listed.
    edge.takeArchive(request)
    const { fileCount, sizeBytes, open } = await edge.admit(request, found.read)
    edge.spend(request, reply, fileCount)
    reply.headers({
      'content-type': 'application/zip',
      'content-disposition': attachment(`${found.name}.zip`),
      'content-length': sizeBytes,
      'accept-ranges': 'none',
    })
    // Without a body the framework would say that it is empty.
    return reply.send(request.method === 'HEAD' ? Readable.from([]) : open())
  },
}

function onlyOne({ query }: ArchiveRequest, name: 'path' | 'at'): string | undefined {
  const value = query[name]
  if (Array.isArray(value))
    throw invalid('validation.duplicate', `\`${name}\` is given more than once.`, ['query', name])
  return value
}

/** What a file takes of an archive at least: its header and a block of bytes. */
const ENTRY_BYTES = 1024

type ContentsRequest = FastifyRequest<{ Params: { owner: string; repo: string } }>

/** 200 with digest and size of each file; errors as Problems. */
const contents: HandlerRoute = {
  operation: 'storeArchive',
  method: 'PUT',
  path: '/v1/repos/:owner/:repo/blobs/archive',
  body: { mediaType: 'application/x-tar', limitBytes: MAX_CONTENT_ARCHIVE_BYTES },
  answersHead: false,
  refusesQuery: true,
  openApi: {
    summary: 'Sends small files ahead of a commit, as one tar archive',
    description:
      'Stores the contents of 1 to 1,000 files of at most 1 MiB each, all or none, without their paths: a commit ' +
      'names them by their digests. A file whose name is a SHA-256 in hex has to have it. Nothing is stored ' +
      'twice, so a request may be repeated.\n\nScope: `key:write`.',
    tags: ['repos'],
    ...forWriters,
    parameters: [segment('owner', 'Handle of the owner.'), segment('repo', 'Slug of the repo.')],
    requestBody: {
      required: true,
      content: { 'application/x-tar': { schema: { type: 'string', format: 'binary' } } },
    },
    responses: {
      '200': {
        description: 'Done.',
        content: {
          'application/json': {
            schema: {
              type: 'object',
              properties: {
                blobs: {
                  type: 'array',
                  items: {
                    type: 'object',
                    properties: {
                      sha256: { ...text, description: 'Lowercase hex SHA-256.' },
                      size: { type: 'integer', description: 'Bytes.' },
                    },
                    required: ['sha256', 'size'],
                  },
                  description: 'In the order of the archive.',
                },
              },
              required: ['blobs'],
            },
          },
        },
      },
      '403': problem('Not allowed'),
      '404': problem('Not found'),
      '409': problem('Conflict'),
      '413': problem('Too large, Storage quota exceeded'),
      '415': problem('Unsupported media type'),
      '422': problem('Invalid value, SHA-256 differs'),
      ...everywhere,
    },
  },
  async handle(edge, request: ContentsRequest, reply, bodies) {
    const { owner, repo } = request.params
    const archive = Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0)
    const stored = await edge.admit(request, async () => {
      edge.spend(request, reply, Math.min(MAX_INLINE_FILES, Math.ceil(archive.length / ENTRY_BYTES)))
      return storeArchive(edge.contextOf(request), { owner, repo, archive })
    })
    // Its bytes are stored, or were there: the next archive takes their place in memory.
    bodies.release(archive)
    return reply.send(stored)
  },
}

export const handlers: readonly HandlerRoute[] = [resolve, archive, contents]
