/** The landing page of the hub. */
import type { FastifyInstance } from 'fastify'
import { page } from './html.ts'

const links: readonly (readonly [href: string, title: string, about: string])[] = [
  ['/graphql', 'GraphiQL', 'write queries against the graph, with its documentation beside them'],
  ['/docs', 'The /v1 interface', 'every operation, tried from the page'],
  ['/v1/openapi.json', 'OpenAPI 3.1', 'the same, for programs'],
  ['/problems', 'Problems', 'what each error means'],
  ['/readyz', 'Readiness', 'whether the database and the object store answer'],
  ['/metrics', 'Metrics', 'for Prometheus'],
]

/** `/`: links, in plain HTML. */
export function registerLanding(app: FastifyInstance): void {
  const items = links
    .map(([href, title, about]) => `<li><a href="${href}">${title}</a> <span>${about}</span></li>`)
    .join('\n')
  const { html, policy } = page(
    'Hub',
    `<h1>Hub</h1>\n<p>Datasets, models and robots, in one typed graph.</p>\n<ul>\n${items}\n</ul>`,
  )
  app.get('/', async (_request, reply) =>
    reply.header('content-security-policy', policy).type('text/html; charset=utf-8').send(html),
  )
}
