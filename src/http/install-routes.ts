/** `/install`: the clients of this hub's version, from the hub itself, and the lines that install them. */
import { hash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Config } from '../platform/config.ts'
import { HubError } from '../platform/errors.ts'
import { noneMatchCovers, strongEtag } from '../platform/etag.ts'
import { lazy } from '../platform/lazy.ts'
import { hubVersion } from '../platform/version.ts'
import { linkOrigin, originOf } from './asked-origin.ts'
import { mayCompress, vary } from './compression.ts'
import { escapeHtml, page } from './html.ts'
import { installNames } from './install-names.ts'
import { type CountsAddress, refuseOtherMethods } from './refuse-other-methods.ts'

const folder = fileURLToPath(new URL('../../generated/install/', import.meta.url))

/** What a person may copy. */
interface Step {
  readonly title: string
  readonly about: string
  readonly line: string
}

const types = { wheel: 'application/zip', command: 'application/gzip' } as const
type Kind = keyof typeof types

/** Both together have 1 MB: read for the first who asks, and kept. */
function readFile(kind: Kind) {
  try {
    const bytes = readFileSync(`${folder}${installNames[kind]}`)
    const sha256 = hash('sha256', bytes, 'hex')
    return { bytes, sha256, etag: `"${sha256}"` }
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
    throw new HubError('not_found', `${installNames[kind]} is not built here; \`npm run prepare\` builds it.`)
  }
}

/** `GET /install`, for a browser as a page and else as text, and one route for each file that it names. */
export function registerInstall(
  app: FastifyInstance,
  { publicUrl }: Pick<Config, 'publicUrl'>,
  edge: CountsAddress,
): void {
  const files = { wheel: lazy(() => readFile('wheel')), command: lazy(() => readFile('command')) }
  app.get('/install', { onRequest: edge.limitAddress }, async (request, reply) => {
    const asked = originOf(request)
    const origin = linkOrigin(publicUrl, asked) ?? asked
    const sums = Object.entries(files).map(([kind, file]) => `${file().sha256}  ${installNames[kind as Kind]}`)
    vary(reply, 'Accept')
    mayCompress(request)
    if (!(request.headers.accept ?? '').includes('text/html'))
      return sendOnce(request, reply, 'text/plain; charset=utf-8', textOf(origin, sums))
    const { html, policy } = page('Install', htmlOf(origin, sums))
    reply.header('content-security-policy', policy)
    return sendOnce(request, reply, 'text/html; charset=utf-8', html)
  })
  refuseOtherMethods(app, edge, '/install', ['GET', 'HEAD'])
  for (const kind of ['wheel', 'command'] as const) {
    const url = `/install/${installNames[kind]}`
    app.get(url, { onRequest: edge.limitAddress }, async (request, reply) => {
      const { bytes, etag } = files[kind]()
      // A version that is not released yet may have other bytes tomorrow.
      reply.headers({ etag, 'cache-control': 'no-cache', 'x-content-type-options': 'nosniff' })
      if (noneMatchCovers(request.headers['if-none-match'], etag)) return reply.code(304).send()
      return reply.type(types[kind]).send(bytes)
    })
    refuseOtherMethods(app, edge, url, ['GET', 'HEAD'])
  }
}

function sendOnce(request: FastifyRequest, reply: FastifyReply, type: string, text: string): FastifyReply {
  const etag = strongEtag(text)
  reply.headers({ etag, 'cache-control': 'no-cache' })
  if (noneMatchCovers(request.headers['if-none-match'], etag)) return reply.code(304).send()
  return reply.type(type).send(text)
}

const stepsOf = (origin: string): readonly Step[] => [
  {
    title: 'Python client',
    about: 'Python 3.9 or later; logs runs, and moves files',
    line: `pip install ${origin}/install/${installNames.wheel}`,
  },
  {
    title: 'Command line',
    about: 'Node 20.19 and npm 10, or later',
    line: `npm install --global ${origin}/install/${installNames.command}`,
  },
  { title: 'Then', about: 'sign in at this hub', line: `hub login --url ${origin}` },
]

function textOf(origin: string, sums: readonly string[]): string {
  const steps = stepsOf(origin).map(({ title, about, line }) => `# ${title}: ${about}\n${line}\n`)
  const digests = sums.map((sum) => `# ${sum}\n`).join('')
  return `# The clients of this hub, version ${hubVersion}\n\n${steps.join('\n')}\n# SHA-256\n${digests}`
}

function htmlOf(origin: string, sums: readonly string[]): string {
  const steps = stepsOf(origin).map(
    ({ title, about, line }) => `<h2>${title}</h2><p class="dim">${about}</p><p><code>${escapeHtml(line)}</code></p>`,
  )
  const digests = sums.map((sum) => `<p><code>${escapeHtml(sum)}</code></p>`).join('')
  const head = '<header><a href="/"><img src="/favicon.svg" alt="" width="24" height="24"> Hub</a></header>'
  const title = `<h1>Install the clients of version ${hubVersion}</h1>`
  return `${head}<main class="panel">${title}${steps.join('')}<h2>SHA-256</h2>${digests}</main>`
}
