/** The model of a robot in 3D, on its overview. A chunk of its own. */
import { rootField } from '../../../ui/root-field.ts'
import { Empty, ErrorNotice, Loading } from '../../../ui/states.tsx'
import { useReading } from '../../../ui/use-reading.ts'
import { viewedRobotQuery } from '../robot.graphql.ts'
import { RobotView } from '../robot-view.tsx'

interface Props {
  readonly owner: string
  readonly repo: string
  /** In a README: the query of the address that it shows. */
  readonly search?: string
  readonly isEmbedded?: boolean
}

export default function RobotIn3d({ owner, repo, search = '', isEmbedded = false }: Props) {
  const [answer, again] = useReading({ query: viewedRobotQuery, variables: { owner, repo } })
  const { value, error } = rootField(answer, 'repo')
  if (value === undefined) return error ? <ErrorNotice error={error} retry={again} /> : <Loading />
  if (value === null)
    return (
      <Empty title="The robot is not there any more">
        <p>It was deleted, or you do not see it any more.</p>
      </Empty>
    )
  return (
    <>
      {error && <ErrorNotice error={error} retry={again} />}
      <RobotView owner={owner} repo={repo} card={value.card} search={search} isEmbedded={isEmbedded} />
    </>
  )
}
