/** From a model to what its newest version changed: against the one before, of the run before where that is known. */
import { Link } from '../../../app/navigate.tsx'
import { rootField } from '../../../ui/root-field.ts'
import { useReading } from '../../../ui/use-reading.ts'
import { type VersionBeforeQuery, versionBeforeQuery } from '../history/compare.graphql.ts'
import { versionsToCompare } from './versions-to-compare.ts'

interface Props {
  readonly owner: string
  readonly repo: string
}

/** Most models have one version, so nothing is shown meanwhile. */
export function VersionBefore({ owner, repo }: Props) {
  const [answer] = useReading({ query: versionBeforeQuery, variables: { owner, repo } })
  const { value } = rootField(answer, 'repo')
  const pair = value && versionsToCompare(asked(value))
  if (!pair) return null
  const { from, to, runs } = pair
  return (
    <section className="panel" aria-label="Version before">
      <h2>What changed</h2>
      <p>
        <Link to="repoCompare" params={{ owner, repo }} query={{ from, to }}>
          Compare with the version before
        </Link>
      </p>
      {runs && (
        <p className="small dim">
          {runs.to} after {runs.from}: runs, results and files.
        </p>
      )}
    </section>
  )
}

const asked = ({ made, commits }: NonNullable<VersionBeforeQuery['repo']>) => ({
  made: made?.nodes ?? [],
  commits: commits?.nodes ?? [],
})
