/** What results of a model must reach before an endpoint serves it; those who write the model set and remove it. */
import { useState } from 'react'
import { useMutation } from 'urql'
import { Link } from '../../../app/navigate.tsx'
import { Confirm } from '../../../ui/dialog.tsx'
import { counted } from '../../../ui/format.ts'
import { messageOf } from '../../../ui/problem.ts'
import { repoParts } from '../../../ui/repo-parts.ts'
import { rootField } from '../../../ui/root-field.ts'
import { ErrorNotice } from '../../../ui/states.tsx'
import { useToast } from '../../../ui/toast.tsx'
import { useReading } from '../../../ui/use-reading.ts'
import { useCanWrite } from '../repo-frame.tsx'
import { NewGate } from './new-gate.tsx'
import { putRolloutGateMutation, type RolloutGatesQuery, rolloutGatesQuery } from './rollouts.graphql.ts'

interface Props {
  readonly owner: string
  readonly repo: string
  /** The robot of the newest result, proposed for a gate; empty without a result, undefined before it is known. */
  readonly robot: string | undefined
}

type Gate = NonNullable<RolloutGatesQuery['repo']>['rolloutGates'][number]

/** Most models have none, so nothing is shown meanwhile. */
export function GatesOfModel({ owner, repo, robot }: Props) {
  const canWrite = useCanWrite(owner)
  const [asked, setAsked] = useState<Gate | null>(null)
  const [answer, again] = useReading({ query: rolloutGatesQuery, variables: { owner, repo } })
  const { value, error } = rootField(answer, 'repo')
  const gates = value?.rolloutGates ?? []
  if (!value && error) return <ErrorNotice error={error} retry={again} />
  if (gates.length === 0 && !canWrite) return null
  return (
    <section className="panel stack" aria-label="Gates">
      <h2>Gates</h2>
      {error && <ErrorNotice error={error} retry={again} />}
      <p className="dim small">
        An endpoint serves this model once the results of its files meet each gate. Every seed that was tried counts
        once; results that agents publish do not.
      </p>
      <ul className="lines">
        {gates.map((gate) => (
          <li key={`${gate.robot} ${gate.fingerprint}`} className="row spread">
            <GateLine gate={gate} />
            {canWrite && (
              <button type="button" className="button small danger" onClick={() => setAsked(gate)}>
                Remove
              </button>
            )}
          </li>
        ))}
      </ul>
      {canWrite && <NewGate owner={owner} repo={repo} robot={robot} changed={again} />}
      {asked && <RemoveGate owner={owner} repo={repo} gate={asked} close={() => setAsked(null)} changed={again} />}
    </section>
  )
}

function GateLine({ gate }: { readonly gate: Gate }) {
  const title = `${gate.task} on ${gate.robot}`
  return (
    <span>
      {gate.isRobotVisible ? (
        <Link to="repoRollouts" params={paramsOf(gate.robot)} query={{ board: gate.fingerprint }}>
          {title}
        </Link>
      ) : (
        title
      )}
      , {counted(gate.seeds, 'seed')}, interval from {(100 * gate.least).toFixed(1)} %
      {!gate.isRobotVisible && (
        <span className="small dim">. The robot is deleted, or hidden from you: no result can be added.</span>
      )}
    </span>
  )
}

interface RemoveProps extends Pick<Props, 'owner' | 'repo'> {
  readonly gate: Gate
  readonly close: () => void
  readonly changed: () => void
}

function RemoveGate({ owner, repo, gate: { robot, fingerprint, seeds, task }, close, changed }: RemoveProps) {
  const [{ fetching }, put] = useMutation(putRolloutGateMutation)
  const toast = useToast()
  const confirm = async () => {
    const { error } = await put({ input: { owner, repo, robot, fingerprint, seeds, least: null } })
    toast(error ? messageOf(error) : `The gate ${task} on ${robot} is removed.`)
    close()
    if (!error) changed()
  }
  return (
    <Confirm
      title={`Remove the gate ${task} on ${robot}?`}
      isOpen
      close={close}
      action="Remove gate"
      isBusy={fetching}
      confirm={() => void confirm()}
    >
      <p>Endpoints then serve this model whatever its results on this board are.</p>
    </Confirm>
  )
}

function paramsOf(fullName: string) {
  const { owner, repo } = repoParts(fullName)
  return { owner, repo }
}
