/** Where programs and the people who write them begin. */
import { PageHeader } from '../ui/page-header.tsx'

const links: readonly (readonly [href: string, title: string, about: string])[] = [
  ['/install', 'Install', 'the Python client and the command line, of the version of this hub, each with one line'],
  ['/graphql', 'GraphiQL', 'write queries against the graph, with its documentation beside them'],
  ['/schema.graphql', 'The schema', 'of the graph, for tools that generate typed clients'],
  ['/docs', 'The /v1 interface', 'every operation, tried from the page'],
  ['/v1/openapi.json', 'OpenAPI 3.1', 'the same, for programs'],
  ['/problems', 'Problems', 'what each error means'],
  ['/readyz', 'Readiness', 'whether the database and the object store answer'],
]

export function Page() {
  return (
    <>
      <PageHeader title="Developers" about="Datasets, models and robots, in one typed graph." />
      <div className="panel">
        <dl className="facts">
          {links.map(([href, title, about]) => (
            <div key={href} className="fact-row">
              <dt>
                <a href={href}>{title}</a>
              </dt>
              <dd>{about}</dd>
            </div>
          ))}
        </dl>
      </div>
    </>
  )
}
