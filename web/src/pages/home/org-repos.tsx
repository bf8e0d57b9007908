/** The repos of an organization of the person that changed last. */
import { Link } from '../../app/navigate.tsx'
import { rootField } from '../../ui/root-field.ts'
import { ErrorNotice } from '../../ui/states.tsx'
import { useReading } from '../../ui/use-reading.ts'
import { RepoTable } from '../repos/repo-table.tsx'
import { orgReposQuery } from './waiting.graphql.ts'

/** Of how many organizations the first page shows repos; the menu leads to the others. */
export const SHOWN_ORGS = 3

export function OrgRepos({ handle }: { readonly handle: string }) {
  const [answer, again] = useReading({ query: orgReposQuery, variables: { owner: handle } })
  const { value, error } = rootField(answer, 'repos')
  if (!value && error) return <ErrorNotice error={error} retry={again} />
  if (!value || value.nodes.length === 0) return null
  return (
    <section className="stack" aria-label={`Repos of ${handle}`}>
      <div className="row spread">
        <h2>Repos of {handle}</h2>
        <Link to="account" params={{ handle }}>
          See all
        </Link>
      </div>
      {error && <ErrorNotice error={error} retry={again} />}
      <RepoTable repos={value.nodes} />
    </section>
  )
}
