/** GraphiQL for browsers: one page with all scripts and styles inline, which asks no one but this hub. */
import { hash } from 'node:crypto'
import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { noneMatchCovers, strongEtag } from '../../platform/etag.ts'
import { lazy } from '../../platform/lazy.ts'
import { codingFor, vary } from '../compression.ts'
import { barHtml, barScript, barStyle } from './bar.ts'
import { examples, variablesText } from './examples.ts'

/** Nine megabytes, two and a half compressed; cached by browsers through its ETag. */
interface Page {
  readonly bytes: Buffer
  readonly gzipped: Buffer
  readonly etag: string
  readonly policy: string
}

export type SendGraphiql = (request: FastifyRequest, reply: FastifyReply) => Promise<FastifyReply>

/**
 * Serves the page. It is loaded and made for its first reader, since that takes half a second. `signIn` is the path of a page that
 * signs in and comes back.
 */
export function graphiql(signIn: string): SendGraphiql {
  const made = lazy(() => makePage(signIn))
  return async (request, reply) => {
    const { bytes, gzipped, etag, policy } = await made()
    const takesGzip = codingFor(request, ['gzip']) !== null
    reply.headers({
      // Weak: it names both encodings.
      etag: `W/${etag}`,
      'cache-control': 'no-cache',
      'content-security-policy': policy,
    })
    vary(reply, 'Accept', 'Accept-Encoding')
    if (noneMatchCovers(request.headers['if-none-match'], etag)) return reply.code(304).send()
    if (takesGzip) reply.header('content-encoding', 'gzip')
    return reply.type('text/html; charset=utf-8').send(takesGzip ? gzipped : bytes)
  }
}

async function makePage(signIn: string): Promise<Page> {
  const { renderGraphiQL } = await import('@graphql-yoga/render-graphiql')
  const html = withBar(
    renderGraphiQL({
      title: 'Hub · GraphiQL',
      endpoint: '/graphql',
      defaultTabs: examples.map((example) => ({ query: example.query, variables: variablesText(example) })),
      shouldPersistHeaders: false,
    } as Parameters<typeof renderGraphiQL>[0]),
    signIn,
  )
  const bytes = Buffer.from(html)
  return { bytes, gzipped: await promisify(gzip)(bytes), etag: strongEtag(html), policy: policyOf(html) }
}

function withBar(html: string, signIn: string): string {
  const root = '<div id="root"></div>'
  const [before, after, ...more] = html.split(root)
  if (before === undefined || after === undefined || more.length > 0)
    throw new Error('GraphiQL has no place for the bar.')
  const style = `<style>${barStyle}</style>`
  return `${before}${style}${barHtml(signIn)}${root}<script>${barScript}</script>${after}`
}

/**
 * Its scripts by hash, the editor's workers as blobs, styles inline as the editor writes them, and connections to the
 * hub alone.
 */
function policyOf(html: string): string {
  const hashes = [...html.matchAll(/<script>([\s\S]*?)<\/script>/g)].map(
    ([, script = '']) => `'sha256-${hash('sha256', script, 'base64')}'`,
  )
  return [
    "default-src 'none'",
    `script-src ${hashes.join(' ')}`,
    "style-src 'unsafe-inline'",
    "img-src 'self' data:",
    'font-src data:',
    "connect-src 'self'",
    'worker-src blob:',
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; ')
}
