/** A robot in 3D. */
import { useQuery } from 'urql'
import { Empty } from '../../ui/states.tsx'
import { RepoFrame } from './repo-frame.tsx'
import { viewedRobotQuery } from './robot.graphql.ts'
import { RobotView } from './robot-view.tsx'

interface Props {
  readonly params: { readonly owner: string; readonly repo: string }
}

export function Page({ params }: Props) {
  const [{ data, error }, again] = useQuery({ query: viewedRobotQuery, variables: params })
  const head = data?.repo
  return (
    <RepoFrame params={params} part="3D" head={head} error={data ? undefined : error} retry={again}>
      {head?.kind === 'ROBOT' ? (
        <RobotView owner={params.owner} repo={params.repo} card={head.card} />
      ) : (
        <Empty title="This repo is no robot">
          <p>Robots alone have a model to show.</p>
        </Empty>
      )}
    </RepoFrame>
  )
}
