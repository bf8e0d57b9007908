/**
 * What clients are generated from and people read: the graph's schema, the OpenAPI document, a self-hosted viewer, and
 * one page per error type.
 */
import { readFileSync } from 'node:fs'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { type GraphQLSchema, lexicographicSortSchema, printSchema } from 'graphql'
import { checkCodes } from '../cards/check-codes.ts'
import { errorTable } from '../platform/errors.ts'
import { noneMatchCovers, strongEtag } from '../platform/etag.ts'
import { lazy } from '../platform/lazy.ts'
import { limitSentence } from '../platform/limit-texts.ts'
import { mayCompress } from './compression.ts'
import { escapeHtml, page } from './html.ts'

/** Files of Swagger UI, copied here by `npm ci`. */
const viewer = new URL('../../generated/swagger-ui/', import.meta.url)

/** The files that the page loads. */
export const assetTypes: Readonly<Record<string, string>> = {
  'swagger-ui.css': 'text/css; charset=utf-8',
  'swagger-ui-bundle.js': 'text/javascript; charset=utf-8',
  'favicon-32x32.png': 'image/png',
}

/** Swagger UI is dark by a class. What a person chose on the pages (`hub-theme`) comes before the system's theme. */
const starter = `const system = matchMedia('(prefers-color-scheme: dark)')
const paint = () => {
  const chosen = localStorage.getItem('hub-theme')
  document.documentElement.classList.toggle('dark-mode', chosen === null ? system.matches : chosen === 'dark')
}
system.addEventListener('change', paint)
paint()
window.addEventListener('load', () => SwaggerUIBundle({ url: '/v1/openapi.json', dom_id: '#page', deepLinking: true, tryItOutEnabled: true }))
`

const docsHtml = `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>Hub · /v1</title>
<link rel="stylesheet" href="/docs/swagger-ui.css"><link rel="icon" href="/docs/favicon-32x32.png"></head>
<body><div id="page"></div><script src="/docs/swagger-ui-bundle.js"></script><script src="/docs/start.js"></script></body></html>
`

/** Swagger UI uses inline styles and data URLs for icons; scripts come only from this origin. */
const docsPolicy =
  "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; connect-src " +
  "'self'; frame-ancestors 'none'; base-uri 'none'"

/** A text that is made for its first reader and then cached by clients through its ETag. */
function documentOf(type: string, make: () => string) {
  const made = lazy(() => {
    const text = make()
    return { text, etag: strongEtag(text) }
  })
  return async (request: FastifyRequest, reply: FastifyReply) => {
    const { text, etag } = made()
    mayCompress(request)
    reply.headers({ etag, 'cache-control': 'no-cache' })
    if (noneMatchCovers(request.headers['if-none-match'], etag)) return reply.code(304).send()
    return reply.type(type).send(text)
  }
}

/** `/schema.graphql`, `/v1/openapi.json`, `/docs`, `/problems` and `/problems/<type>`. */
export function registerDocs(app: FastifyInstance, schema: GraphQLSchema, document: () => object): void {
  const assets = new Map(
    Object.entries(assetTypes).map(([name, type]) => [name, { type, bytes: readFileSync(new URL(name, viewer)) }]),
  )
  assets.set('start.js', { type: 'text/javascript; charset=utf-8', bytes: Buffer.from(starter) })
  // Plain text, which browsers show; tools go by the name of the file.
  app.get(
    '/schema.graphql',
    documentOf('text/plain; charset=utf-8', () => `${printSchema(lexicographicSortSchema(schema))}\n`),
  )
  app.get(
    '/v1/openapi.json',
    documentOf('application/json; charset=utf-8', () => JSON.stringify(document(), null, 2)),
  )
  app.get('/docs', async (_request, reply) =>
    reply.header('content-security-policy', docsPolicy).type('text/html; charset=utf-8').send(docsHtml),
  )
  for (const [name, { type, bytes }] of assets) {
    app.get(`/docs/${name}`, async (request, reply) => {
      mayCompress(request)
      return reply.header('cache-control', 'public, max-age=3600').type(type).send(bytes)
    })
  }
  registerProblemPages(app)
}

/** Words between backticks as code. */
const withCode = (text: string) => escapeHtml(text).replace(/`([^`]+)`/g, '<code>$1</code>')

function registerProblemPages(app: FastifyInstance): void {
  const rows = Object.entries(errorTable)
  const line = ([type, row]: (typeof rows)[number]) =>
    `<tr><td>${row.status}</td><td><a href="/problems/${type}"><code>${type}</code></a></td><td>${escapeHtml(row.title)}</td></tr>`
  const list = `<h1>Problems</h1>\n<p>Every error of <code>/v1</code> is one of these, as <code>application/problem+json</code>.</p>`
  const codes = Object.entries(checkCodes)
  const codeLine = ([code, row]: (typeof codes)[number]) =>
    `<tr><td><a href="/problems/${code}"><code>${code}</code></a></td><td>${escapeHtml(row.title)}</td></tr>`
  const checks = `<h2>Checks of a robot card</h2>\n<p>A rejected card has one entry in <code>errors</code> per failed check, with its code.</p>`
  const tables = `<table>${rows.map(line).join('\n')}</table>\n${checks}\n<table>${codes.map(codeLine).join('\n')}</table>`
  const pages = new Map([['', page('Problems', `${list}\n${tables}`)]])
  const back = '<p><a href="/problems">All problems</a></p>'
  for (const [code, { title, about, fix }] of codes) {
    const text = `<p>${escapeHtml(about)}</p>\n<p>${escapeHtml(fix)}</p>`
    pages.set(
      code,
      page(`${title} · Problems`, `<h1>${escapeHtml(title)}</h1>\n<p><code>${code}</code></p>\n${text}\n${back}`),
    )
  }
  for (const [type, row] of rows) {
    const numbers = limitSentence(type)
    const about = `<p>${escapeHtml(row.about)}</p>\n${numbers ? `<p>${withCode(numbers)}</p>\n` : ''}<p class="dim">HTTP ${row.status} · GraphQL <code>${row.code}</code></p>`
    pages.set(
      type,
      page(
        `${row.title} · Problems`,
        `<h1>${escapeHtml(row.title)}</h1>\n<p><code>${type}</code></p>\n${about}\n${back}`,
      ),
    )
  }
  for (const [type, { html, policy }] of pages) {
    app.get(type ? `/problems/${type}` : '/problems', async (request, reply) => {
      mayCompress(request)
      return reply.header('content-security-policy', policy).type('text/html; charset=utf-8').send(html)
    })
  }
}
