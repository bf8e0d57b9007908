/** Starts a check of a robot: which file is its model, and what its policies give. */
import { pagePath } from '@hub/formats/page-paths'
import { type FormEvent, useState } from 'react'
import { type CombinedError, useMutation } from 'urql'
import { useLocation } from 'wouter'
import { Dialog } from '../../ui/dialog.tsx'
import { Field } from '../../ui/field.tsx'
import { faultOf } from '../../ui/problem.ts'
import { rootField } from '../../ui/root-field.ts'
import { Empty, ErrorNotice, FormError, Loading } from '../../ui/states.tsx'
import { useToast } from '../../ui/toast.tsx'
import { useReading } from '../../ui/use-reading.ts'
import { type RobotToCheckQuery, robotToCheckQuery, startCheckMutation } from './start-check.graphql.ts'
import { actions, checkRequest, isUrdf, modelFiles } from './start-check-input.ts'

interface Props {
  readonly owner: string
  readonly repo: string
  readonly isOpen: boolean
  readonly close: () => void
}

const fields = ['entry', 'base', 'controlHz', 'action', 'executor']

export function StartCheck({ owner, repo, isOpen, close }: Props) {
  // The file that is proposed is one that the repo has now, not one that this tab read of some time ago.
  const [answer, again] = useReading({
    ...{ query: robotToCheckQuery, variables: { owner, repo }, pause: !isOpen, requestPolicy: 'network-only' },
  })
  const { value: robot, error } = rootField(answer, 'repo')
  const paths = robot?.files.nodes.map(({ path }) => path) ?? []
  const models = modelFiles(paths, robot?.card?.mjcfPath ?? null)
  return (
    <Dialog title="Check this robot" isOpen={isOpen} close={close}>
      {error && <ErrorNotice error={error} retry={again} />}
      {robot === undefined && !error && <Loading lines={3} />}
      {robot && models.length === 0 && paths.length === 0 && (
        <Empty title="There is nothing to check yet">
          <p>Upload the robot's model first: an MJCF or a URDF, with its meshes.</p>
        </Empty>
      )}
      {robot && paths.length > 0 && (
        <CheckForm name={`${owner}/${repo}`} models={models} card={robot.card} close={close} />
      )}
    </Dialog>
  )
}

interface FormProps {
  readonly name: string
  readonly models: readonly string[]
  readonly card: NonNullable<RobotToCheckQuery['repo']>['card']
  readonly close: () => void
}

function CheckForm({ name, models, card, close }: FormProps) {
  const [{ error, fetching }, start] = useMutation(startCheckMutation)
  const [, go] = useLocation()
  const toast = useToast()
  const submit = async (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    const { data } = await start({ input: checkRequest(name, new FormData(event.currentTarget)) })
    const result = data?.createRobotCheck?.result
    if (!result) return
    const isHeld = result.__typename === 'SpendHold'
    if (isHeld) toast('Held: it starts when a person approves it.')
    go(pagePath(isHeld ? 'hold' : 'check', { id: result.id }))
  }
  return (
    <form className="stack" onSubmit={submit}>
      {error && <FormError error={error} fields={fields} />}
      <p>The model is loaded in MuJoCo and tried. Nothing is written to the repo until you publish the result.</p>
      <ModelFields models={models} error={error} />
      <Field
        label="Control rate in Hz"
        hint="How often a policy acts on the real robot."
        fault={faultOf(error, 'controlHz')}
      >
        <input
          name="controlHz"
          type="number"
          required
          min="0"
          step="any"
          defaultValue={card?.interface?.controlRateHz ?? 50}
        />
      </Field>
      <Field label="A policy gives" fault={faultOf(error, 'action')}>
        <select name="action" defaultValue="POSITION">
          {Object.entries(actions).map(([word, text]) => (
            <option key={word} value={word}>
              {text}
            </option>
          ))}
        </select>
      </Field>
      <Field label="Where" fault={faultOf(error, 'executor')}>
        <select name="where" defaultValue="">
          <option value="">By the hub if it does so for you, else on your machine</option>
          <option value="WORKER">On a machine of yours: not charged</option>
          <option value="HOSTED">By the hub</option>
        </select>
      </Field>
      <div className="dialog-actions">
        <button type="button" className="button" onClick={close}>
          Cancel
        </button>
        <button type="submit" className="button primary" disabled={fetching}>
          Start check
        </button>
      </div>
    </form>
  )
}

interface ModelProps extends Pick<FormProps, 'models'> {
  readonly error: CombinedError | undefined
}

/** Which file is the model, and what that file does not say. */
function ModelFields({ models, error }: ModelProps) {
  const [entry, setEntry] = useState(models[0] ?? '')
  return (
    <>
      <Field label="Model file" hint="An MJCF or a URDF of the repo." fault={faultOf(error, 'entry')}>
        <input
          name="entry"
          required
          list="model-files"
          autoComplete="off"
          value={entry}
          onChange={({ target }) => setEntry(target.value)}
        />
      </Field>
      <datalist id="model-files">
        {models.map((path) => (
          <option key={path} value={path} />
        ))}
      </datalist>
      {isUrdf(entry) && (
        <Field label="Base" hint="A URDF does not say it." fault={faultOf(error, 'base')}>
          <select name="base" defaultValue="fixed">
            <option value="fixed">Fixed, as an arm on a table</option>
            <option value="floating">Floating, as a legged robot</option>
          </select>
        </Field>
      )}
    </>
  )
}
