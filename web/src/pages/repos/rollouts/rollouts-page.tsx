/** Results of rollouts: of a model its own, of a robot the boards of its tasks. */
import { rootField } from '../../../ui/root-field.ts'
import { Empty } from '../../../ui/states.tsx'
import { useReading } from '../../../ui/use-reading.ts'
import { RepoFrame } from '../repo-frame.tsx'
import { ModelRollouts } from './model-rollouts.tsx'
import { RobotBoards } from './robot-boards.tsx'
import { rolloutsRepoQuery } from './rollouts.graphql.ts'

interface Props {
  readonly params: { readonly owner: string; readonly repo: string }
}

export function Page({ params }: Props) {
  const [answer, again] = useReading({ query: rolloutsRepoQuery, variables: params })
  const { value: head, error } = rootField(answer, 'repo')
  return (
    <RepoFrame params={params} part="Rollouts" head={head} error={error} retry={again}>
      {head?.kind === 'MODEL' && <ModelRollouts owner={params.owner} repo={params.repo} />}
      {head?.kind === 'ROBOT' && <RobotBoards owner={params.owner} repo={params.repo} />}
      {head?.kind === 'DATASET' && (
        <Empty title="This repo is a dataset">
          <p>Models drive robots: look at the rollouts of a model, or at the boards of a robot.</p>
        </Empty>
      )}
    </RepoFrame>
  )
}
