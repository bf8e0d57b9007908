/** What results of a model must come to before an endpoint serves it. */
import { useQuery } from 'urql'
import { Link } from '../../../app/navigate.tsx'
import { counted } from '../../../ui/format.ts'
import { rootField } from '../../../ui/root-field.ts'
import { ErrorNotice } from '../../../ui/states.tsx'
import { rolloutGatesQuery } from './rollouts.graphql.ts'

interface Props {
  readonly owner: string
  readonly repo: string
}

/** Most models have none, so nothing is shown meanwhile. */
export function GatesOfModel({ owner, repo }: Props) {
  const [answer, again] = useQuery({ query: rolloutGatesQuery, variables: { owner, repo } })
  const { value, error } = rootField(answer, 'repo')
  const gates = value?.rolloutGates ?? []
  if (error) return <ErrorNotice error={error} retry={again} />
  if (gates.length === 0) return null
  return (
    <ul className="lines">
      {gates.map((gate) => (
        <li key={`${gate.robot} ${gate.fingerprint}`}>
          Gate:{' '}
          <Link to="repoRollouts" params={paramsOf(gate.robot)} query={{ board: gate.fingerprint }}>
            {gate.task} on {gate.robot}
          </Link>
          , {counted(gate.seeds, 'seed')}, interval from {(100 * gate.least).toFixed(1)} %
        </li>
      ))}
    </ul>
  )
}

function paramsOf(fullName: string) {
  const [owner = '', repo = ''] = fullName.split('/')
  return { owner, repo }
}
