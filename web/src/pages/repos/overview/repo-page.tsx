/** A repo: its README, what is in it, where it comes from, what uses it, and how to get it. */
import { rootField } from '../../../ui/root-field.ts'
import { useReading } from '../../../ui/use-reading.ts'
import { RepoFrame, useCanWrite } from '../repo-frame.tsx'
import { RepoPicture } from '../repo-picture.tsx'
import { Commands } from './commands.tsx'
import { EmptyRepo } from './empty-repo.tsx'
import { Facts } from './facts.tsx'
import { FitsPanel } from './fits-panel.tsx'
import { Lineage } from './lineage.tsx'
import { Readme } from './readme.tsx'
import { repoQuery } from './repo.graphql.ts'
import { RobotPanel } from './robot-panel.tsx'
import { VersionBefore } from './version-before.tsx'

interface Params {
  readonly owner: string
  readonly repo: string
}

export function Page({ params }: { readonly params: Params }) {
  const { owner, repo: slug } = params
  const [answer, again] = useReading({ query: repoQuery, variables: { owner, repo: slug } })
  const { value: repo, error } = rootField(answer, 'repo')
  const canWrite = useCanWrite(owner)
  const readme = repo?.readme.nodes.find(({ path }) => path === 'README.md')
  return (
    <RepoFrame params={params} head={repo} error={error} retry={again}>
      {repo && (
        <div className="columns">
          <div className="stack">
            {repo.kind === 'ROBOT' && repo.card?.mjcfPath && (
              <RobotPanel owner={owner} slug={slug} picture={repo.picture} />
            )}
            {repo.kind !== 'ROBOT' && repo.picture && (
              <RepoPicture picture={repo.picture} alt={`Preview of ${repo.fullName}`} className="robot-still" />
            )}
            <section className="panel" aria-label="README">
              {repo.fileSummary.count === 0 ? (
                <EmptyRepo owner={owner} repo={slug} canWrite={canWrite} />
              ) : (
                <Readme owner={owner} repo={slug} size={readme?.size ?? null} canWrite={canWrite} />
              )}
            </section>
            <FitsPanel
              key={repo.fullName}
              owner={owner}
              repo={slug}
              isRobot={repo.kind === 'ROBOT'}
              hasCard={repo.card !== null}
            />
            {repo.fileSummary.count > 0 && <Commands fullName={repo.fullName} readmePath={readme?.path ?? null} />}
          </div>
          <aside className="stack" aria-label="Facts">
            <Facts repo={repo} />
            {repo.kind === 'MODEL' && <VersionBefore key={repo.fullName} owner={owner} repo={slug} />}
            <Lineage repo={repo} />
          </aside>
        </div>
      )}
    </RepoFrame>
  )
}
