/** `resolve` and `raw`: the bytes of a file, as a redirect to the store. */
import { Readable } from 'node:stream'
import type { FastifyReply } from 'fastify'
import { resolveFile } from '../../src/files/resolve-file.ts'
import { originOf } from '../../src/http/asked-origin.ts'
import { pageAt } from '../../src/http/printed-address.ts'
import { HubError } from '../../src/platform/errors.ts'
import type { Call } from '../engine/call.ts'
import type { HfHandler } from '../engine/handler.ts'
import { missing } from '../engine/refusal.ts'
import { ofEachType, places, type RepoType } from '../engine/route.ts'
import { findRepo, isMain, MAIN } from '../repos/find-repo.ts'
import { answerHead } from './answer-head.ts'
import { etagOf } from './render-file.ts'

export const handlers: readonly HfHandler[] = ofEachType((type): HfHandler[] => [
  ...['resolve', 'raw'].map(
    (word): HfHandler => ({
      operation: 'hfResolve',
      method: 'GET',
      path: `${places[type].files}/:owner/:name/${word}/:revision/*`,
      documents: ['hf-find-repo', 'hf-moved-repo'],
      handle: (call) => resolve(call, type),
    }),
  ),
  ...(type === 'dataset' ? ['', '/*'] : []).map(
    (rest): HfHandler => ({
      operation: 'hfPage',
      method: 'GET',
      path: `${places[type].files}/:owner/:name${rest}`,
      documents: ['hf-find-repo', 'hf-moved-repo'],
      handle: (call) => openPage(call, type),
    }),
  ),
  {
    operation: 'hfGit',
    method: 'GET',
    path: `${places[type].files}/:owner/:name/info/refs`,
    documents: [],
    handle: refuseGit,
  },
]).flat()

/** `tree/main/folder`, `blob/main/file` and `commit/id`: what stands after the name in the address of a page. */
const PLACE_OF_PAGE = /^(tree|blob|commits?)\/([^/]+)(?:\/(.+))?$/

/**
 * The address that a client prints of a data set is one of a page here: pages of all kinds are at `/owner/slug`. That
 * of a file or folder as it is now leads to it, that of a commit to the history, any other one to the repo. Those of
 * models are known by their form (`printed-address.ts`).
 */
async function openPage(call: Call, type: RepoType): Promise<FastifyReply> {
  const { owner, slug: repo } = await findRepo(call, type, MAIN)
  const [, word = '', revision = '', path = ''] = PLACE_OF_PAGE.exec(call.param('*')) ?? []
  return call.reply.redirect(pageAt({ owner, repo }, word, isMain(revision) ? path : null), 302)
}

/** What `git clone` asks first. It shows a text to its user, and no JSON. */
async function refuseGit({ reply }: Call): Promise<FastifyReply> {
  const how = 'hf download OWNER/NAME, hub pull OWNER/NAME FOLDER, or snapshot_download() in Python'
  return reply
    .code(404)
    .header('x-error-code', 'GitNotOffered')
    .type('text/plain; charset=utf-8')
    .send(`This hub is not a git server. To get the files: ${how}.\n`)
}

/**
 * 302 to a signed URL, which takes ranges. `X-Linked-Etag` and `X-Linked-Size` say what is there, `X-Repo-Commit` of
 * which state it is: the client keeps the file under them.
 */
async function resolve(call: Call, type: RepoType): Promise<FastifyReply> {
  const { reply } = call
  const found = await findRepo(call, type)
  const { owner, slug: repo, commitId } = found
  const path = call.param('*')
  reply.headers({ 'x-repo-commit': commitId, 'cache-control': 'private, no-cache', vary: 'Authorization, Cookie' })
  const file = await resolveFile(call.context(), { owner, repo, path, at: commitId }).catch((error: unknown) => {
    const isAbsent = error instanceof HubError && (error.status === 404 || error.type === 'validation.path')
    throw isAbsent ? missing('EntryNotFound', `${found.fullName} has no file ${path} at this revision.`) : error
  })
  const etag = `"${etagOf(file)}"`
  reply.headers({ etag, 'x-linked-etag': etag, 'x-linked-size': file.size, 'accept-ranges': 'bytes' })
  // Of no bytes there is no range: some stores refuse the one that a client asks to learn the size.
  if (file.size === 0) return reply.code(200).headers({ 'content-range': 'bytes */0', 'content-length': 0 }).send('')
  const address = await file.sign()
  if (call.request.method !== 'HEAD') return reply.redirect(address, 302)
  const { code, location } = answerHead(address, [call.origin, originOf(call.request)])
  if (location) reply.header('location', location)
  // An empty stream: of any other body of an answer to HEAD fastify sets the length itself.
  return reply
    .code(code)
    .header('content-length', code === 200 ? file.size : 0)
    .send(Readable.from([]))
}
