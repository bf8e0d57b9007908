/** The repos of an organization of the person that changed last. */
import { useQuery } from 'urql'
import { Link } from '../../app/navigate.tsx'
import { rootField } from '../../ui/root-field.ts'
import { ErrorNotice } from '../../ui/states.tsx'
import { RepoTable } from '../repos/repo-table.tsx'
import { orgReposQuery } from './waiting.graphql.ts'

/** Of how many organizations the first page shows repos; the menu leads to the others. */
export const SHOWN_ORGS = 3

export function OrgRepos({ handle }: { readonly handle: string }) {
  const [answer, again] = useQuery({ query: orgReposQuery, variables: { owner: handle } })
  const { value, error } = rootField(answer, 'repos')
  if (error) return <ErrorNotice error={error} retry={again} />
  if (!value || value.nodes.length === 0) return null
  return (
    <section className="stack" aria-label={`Repos of ${handle}`}>
      <div className="row spread">
        <h2>Repos of {handle}</h2>
        <Link to="account" params={{ handle }}>
          See all
        </Link>
      </div>
      <RepoTable repos={value.nodes} />
    </section>
  )
}
