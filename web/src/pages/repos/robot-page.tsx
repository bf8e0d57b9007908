/** A robot in 3D. */
import { useSearch } from '../../app/navigate.tsx'
import { rootField } from '../../ui/root-field.ts'
import { Empty } from '../../ui/states.tsx'
import { useReading } from '../../ui/use-reading.ts'
import { RepoFrame } from './repo-frame.tsx'
import { viewedRobotQuery } from './robot.graphql.ts'
import { RobotView } from './robot-view.tsx'

interface Props {
  readonly params: { readonly owner: string; readonly repo: string }
}

export function Page({ params }: Props) {
  const [answer, again] = useReading({ query: viewedRobotQuery, variables: params })
  const { value: head, error } = rootField(answer, 'repo')
  // A link to another pose of this robot; the search of the hook is decoded.
  useSearch()
  const search = location.search.slice(1)
  return (
    <RepoFrame params={params} part="3D" head={head} error={error} retry={again}>
      {head?.kind === 'ROBOT' ? (
        <RobotView owner={params.owner} repo={params.repo} card={head.card} search={search} />
      ) : (
        <Empty title="This repo is not a robot">
          <p>Only robots have a model to show: look at its files.</p>
        </Empty>
      )}
    </RepoFrame>
  )
}
