/** The pages that `web/` is built to: one document for each address that has a page, and the hashed files it loads. */
import { hash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import fastifyStatic from '@fastify/static'
import { matchPage } from '@hub/formats/page-paths'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Deps } from '../operation/context.ts'
import { noneMatchCovers } from '../platform/etag.ts'
import { mayCompress, vary } from './compression.ts'
import { pathOf } from './logger.ts'
import { pageOfPrinted } from './printed-address.ts'
import type { SharedHead } from './shared-head.ts'

const folder = fileURLToPath(new URL('../../generated/web/', import.meta.url))
/** Addresses of the graph, the REST dialect, sign-in and the stores: never a page. */
const notPages = /^\/(?:v1|graphql|auth|objects|assets|docs|problems|metrics|healthz|readyz|\.well-known)(?:\/|$)/

interface PageDocument {
  readonly html: string
  readonly etag: string
  readonly policy: string
  /** Of the worker that runs MuJoCo. */
  readonly enginePolicy: string
}

/**
 * Answers `GET` of each page with the document (200), and of any other address that a browser opens with the same
 * document and 404, which says so. A page of a public repo has a head of its own, from `headOf`, which programs that
 * unfold links read too. The hashed files below
 * `/assets/` never change and are cached for a year.
 */
export async function registerPages(
  app: FastifyInstance,
  deps: Pick<Deps, 'objects' | 'log'>,
  headOf: SharedHead = async () => null,
): Promise<void> {
  const document = readDocument(await storeOrigin(deps))
  if (document === null) {
    deps.log.warn({ folder }, 'the pages are not built; `npm run prepare` builds them')
    return
  }
  await app.register(fastifyStatic, {
    root: folder,
    prefix: '/',
    wildcard: false,
    index: false,
    globIgnore: ['**/*.br', '**/*.gz', 'index.html', '.inputs'],
    dotfiles: 'ignore',
    preCompressed: true,
    cacheControl: false,
    setHeaders: (reply, path) => {
      reply.header(
        'cache-control',
        path.includes('/assets/') ? 'public, max-age=31536000, immutable' : 'public, max-age=3600',
      )
      reply.header('content-security-policy', isEngine.test(path) ? document.enginePolicy : document.policy)
    },
  })
  app.get('/*', async (request, reply) => {
    const isOpened = isPage(request)
    const printed = isOpened || takesAny(request) ? pageOfPrinted(request.url) : null
    if (printed !== null) return reply.redirect(printed, 302)
    if (!isOpened && !mayUnfold(request)) return reply.callNotFound()
    const head = await headOf(request, reply)
    if (!isOpened && head === null) return reply.callNotFound()
    return sendDocument(head === null ? document : { ...document, ...withHead(document, head) }, request, reply)
  })
}

/**
 * Whether a person opens it. A program that asks for two words, such as `/v2/repos`, made a mistake, which an error says
 * better than a page about a repo.
 */
function isPage(request: FastifyRequest): boolean {
  const path = pathOf(request.url)
  if (notPages.test(path)) return false
  if ((request.headers.accept ?? '').includes('text/html')) return true
  const match = matchPage(path)
  return match !== null && !('repo' in match.params)
}

/**
 * Chat programs ask for any type where they unfold a link: a page of a public repo answers them too. Every other repo
 * is an error to a program, private and unknown ones alike.
 */
const mayUnfold = (request: FastifyRequest): boolean =>
  takesAny(request) && 'repo' in (matchPage(pathOf(request.url))?.params ?? {})

const takesAny = ({ url, headers: { accept = '*/*' } }: FastifyRequest): boolean =>
  accept.includes('*/*') && !notPages.test(pathOf(url))

/** A worker has the policy of its own script. */
const isEngine = /\/assets\/engine-worker-[\w-]+\.js(?:\.br|\.gz)?$/

function sendDocument(document: PageDocument, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const isKnown = matchPage(pathOf(request.url)) !== null
  reply.headers({
    etag: document.etag,
    'cache-control': 'no-cache',
    'content-security-policy': document.policy,
    // The sign-out form of the pages must send its origin.
    'referrer-policy': 'same-origin',
  })
  vary(reply, 'Accept')
  mayCompress(request)
  if (isKnown && noneMatchCovers(request.headers['if-none-match'], document.etag)) return reply.code(304).send()
  return reply
    .code(isKnown ? 200 : 404)
    .type('text/html; charset=utf-8')
    .send(document.html)
}

/** What `web/index.html` has in its place: the pages write their titles themselves. */
const TITLE = '<title>Hub</title>'

function withHead({ html }: PageDocument, head: string): Pick<PageDocument, 'html' | 'etag'> {
  const text = html.replace(TITLE, () => head)
  return { html: text, etag: etagOf(text) }
}

const etagOf = (html: string) => `"${hash('sha256', html).slice(0, 32)}"`

/** Null where nothing was built. */
function readDocument(origin: string | null): PageDocument | null {
  try {
    const html = readFileSync(`${folder}index.html`, 'utf8')
    return {
      html,
      etag: etagOf(html),
      policy: policyOf(origin),
      enginePolicy: enginePolicyOf(origin),
    }
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null
    throw error
  }
}

/**
 * Where presigned URLs lead: the pages read files from there. Null for the disk store, whose URLs are the hub's own.
 */
async function storeOrigin({ objects }: Pick<Deps, 'objects'>): Promise<string | null> {
  return objects?.kind === 's3' ? new URL(await objects.signGet('origin', { ttlSeconds: 60 })).origin : null
}

/**
 * Emscripten's bindings of MuJoCo make functions of text. The worker alone may do that: it has no document, no cookie
 * that a script can read, and asks the hub and its store alone.
 */
function enginePolicyOf(origin: string | null): string {
  const files = origin === null ? "'self'" : `'self' ${origin}`
  return `default-src 'none'; script-src 'self' 'unsafe-eval'; connect-src ${files}`
}

/**
 * Everything comes from the hub, and files from its object store too. Nothing is inline. WebAssembly is MuJoCo, in the
 * viewer of robots.
 */
function policyOf(origin: string | null): string {
  const files = origin === null ? "'self'" : `'self' ${origin}`
  return [
    "default-src 'none'",
    "script-src 'self' 'wasm-unsafe-eval'",
    "style-src 'self'",
    `img-src ${files} data: blob:`,
    `media-src ${files} blob:`,
    `connect-src ${files}`,
    "font-src 'self'",
    "worker-src 'self' blob:",
    // A PDF that a page made a Blob of, in the browser's own viewer; nothing of another address is framed.
    'frame-src blob:',
    "form-action 'self'",
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ].join('; ')
}
