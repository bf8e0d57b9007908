/** What results of a model must come to before an endpoint serves it; those who write the model set and remove it. */
import { type FormEvent, useState } from 'react'
import { useMutation, useQuery } from 'urql'
import { Link } from '../../../app/navigate.tsx'
import { Confirm } from '../../../ui/dialog.tsx'
import { Field } from '../../../ui/field.tsx'
import { counted } from '../../../ui/format.ts'
import { faultOf, messageOf } from '../../../ui/problem.ts'
import { repoParts } from '../../../ui/repo-parts.ts'
import { rootField } from '../../../ui/root-field.ts'
import { ErrorNotice } from '../../../ui/states.tsx'
import { useToast } from '../../../ui/toast.tsx'
import { useCanWrite } from '../repo-frame.tsx'
import {
  putRolloutGateMutation,
  type RolloutGatesQuery,
  type RolloutRowFragment,
  rolloutGatesQuery,
} from './rollouts.graphql.ts'

interface Props {
  readonly owner: string
  readonly repo: string
  /** Results of the model: a gate is set on one of their boards. */
  readonly rows: readonly RolloutRowFragment[]
}

type Gate = NonNullable<RolloutGatesQuery['repo']>['rolloutGates'][number]

/** Most models have none, so nothing is shown meanwhile. */
export function GatesOfModel({ owner, repo, rows }: Props) {
  const canWrite = useCanWrite(owner)
  const [asked, setAsked] = useState<Gate | null>(null)
  const [answer, again] = useQuery({ query: rolloutGatesQuery, variables: { owner, repo } })
  const changed = () => again({ requestPolicy: 'network-only' })
  const { value, error } = rootField(answer, 'repo')
  const gates = value?.rolloutGates ?? []
  if (error) return <ErrorNotice error={error} retry={again} />
  if (gates.length === 0 && !(canWrite && rows.length > 0)) return null
  return (
    <section className="panel stack" aria-label="Gates">
      <h2>Gates</h2>
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
      {canWrite && rows.length > 0 && <NewGate owner={owner} repo={repo} rows={rows} changed={changed} />}
      {asked && <RemoveGate owner={owner} repo={repo} gate={asked} close={() => setAsked(null)} changed={changed} />}
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

/** Robot and fingerprint of a board, as one value of a choice. */
const boardKey = ({ robot, fingerprint }: RolloutRowFragment) => `${robot} ${fingerprint}`

function NewGate({ owner, repo, rows, changed }: Props & { readonly changed: () => void }) {
  const [{ error, fetching }, put] = useMutation(putRolloutGateMutation)
  const toast = useToast()
  const boards = new Map(rows.map((row) => [boardKey(row), row]))
  const submit = async (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    const form = new FormData(event.currentTarget)
    const board = boards.get(String(form.get('board')))
    if (!board) return
    const { robot, fingerprint, task } = board
    const least = Number(form.get('least')) / 100
    const answer = await put({ input: { owner, repo, robot, fingerprint, least, seeds: Number(form.get('seeds')) } })
    if (answer.error) return
    toast(`The gate ${task} on ${robot} is set.`)
    changed()
  }
  return (
    <form onSubmit={submit} className="stack">
      {error && <ErrorNotice error={error} />}
      <div className="row">
        <Field label="Board" fault={faultOf(error, 'fingerprint')}>
          <select name="board" required>
            {[...boards].map(([key, { task, robot, fingerprint }]) => (
              <option key={key} value={key}>
                {task} {fingerprint.slice(0, 6)} on {robot}
              </option>
            ))}
          </select>
        </Field>
        <Field label="Interval from, in %" fault={faultOf(error, 'least')}>
          <input name="least" type="number" min="0.1" max="100" step="0.1" defaultValue="80" required />
        </Field>
        <Field label="Seeds at least" fault={faultOf(error, 'seeds')}>
          <input name="seeds" type="number" min="1" max="1000" defaultValue="100" required />
        </Field>
        <button type="submit" className="button" disabled={fetching}>
          Set gate
        </button>
      </div>
    </form>
  )
}

function paramsOf(fullName: string) {
  const { owner, repo } = repoParts(fullName)
  return { owner, repo }
}
