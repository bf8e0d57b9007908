/** Gives one device an approval for one endpoint, and shows its token once; or a link to ask someone else for it. */
import { type FormEvent, useState } from 'react'
import { type CombinedError, useMutation } from 'urql'
import { commands } from '../../app/commands.ts'
import { Link } from '../../app/navigate.tsx'
import { Command } from '../../ui/command.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { Field } from '../../ui/field.tsx'
import { faultOf } from '../../ui/problem.ts'
import { rootField } from '../../ui/root-field.ts'
import { ErrorNotice, FormError, Loading } from '../../ui/states.tsx'
import { useReading } from '../../ui/use-reading.ts'
import { approvalTimes, expiryAfter } from './approval-times.ts'
import { approveDeviceMutation, type DevicesToApproveQuery, devicesToApproveQuery } from './endpoints.graphql.ts'

interface Props {
  readonly endpoint: { readonly id: string; readonly modelRepoRef: { readonly fullName: string } }
  /** Chosen in advance: the id of a device, from a link that asks for the approval. */
  readonly asked: string | null
  readonly isOpen: boolean
  readonly close: () => void
  readonly approved: () => void
}

interface Given {
  readonly token: string
  readonly deviceId: string
}

export function ApproveDevice({ endpoint, asked, isOpen, close, approved }: Props) {
  const [{ error, fetching }, approve] = useMutation(approveDeviceMutation)
  const [answer] = useReading({ query: devicesToApproveQuery, pause: !isOpen })
  const { value: devices, error: unread } = rootField(answer, 'devices')
  const [device, setDevice] = useState(asked ?? '')
  const [given, setGiven] = useState<Given | null>(null)
  const end = () => {
    setGiven(null)
    close()
  }
  const submit = async (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    const hours = Number(new FormData(event.currentTarget).get('hours'))
    const input = { endpointId: endpoint.id, deviceId: device, expiresAt: expiryAfter(hours, Date.now()) }
    const { data } = await approve({ input })
    if (!data?.approveEndpointSession) return
    setGiven({ token: data.approveEndpointSession.token, deviceId: device })
    approved()
  }
  if (given !== null)
    return (
      <Dialog title="Approved" isOpen={isOpen} close={end}>
        <GivenToken endpointId={endpoint.id} {...given} end={end} />
      </Dialog>
    )
  return (
    <Dialog title="Approve a device" isOpen={isOpen} close={end}>
      {unread && <ErrorNotice error={unread} />}
      {!devices && !unread && <Loading lines={2} />}
      {devices?.nodes.length === 0 && (
        <p>
          There is no device yet.{' '}
          <Link to="sessions" params={{}} query={{ register: '1' }}>
            Register one
          </Link>
        </p>
      )}
      {devices && devices.nodes.length > 0 && (
        <form className="stack" onSubmit={submit}>
          {error && <FormError error={error} fields={['deviceId', 'expiresAt']} />}
          <p>
            The robot then moves by the actions of {endpoint.modelRepoRef.fullName}, until you revoke the approval or it
            expires.
          </p>
          <ApprovalFields devices={devices} device={device} choose={setDevice} error={error} />
          <div className="dialog-actions">
            <button type="button" className="button" onClick={end}>
              Cancel
            </button>
            <button type="submit" className="button primary" disabled={fetching}>
              Approve
            </button>
          </div>
        </form>
      )}
    </Dialog>
  )
}

interface GivenProps extends Given {
  readonly endpointId: string
  readonly end: () => void
}

function GivenToken({ endpointId, deviceId, token, end }: GivenProps) {
  return (
    <>
      <p>
        Copy the token now: it is shown only this once. Save it on the robot's computer in a file named{' '}
        <code>approval</code>.
      </p>
      <Command label="token of the approval" text={token} />
      <p>Then open a session there:</p>
      <Command label="open a session" text={commands.openSession(endpointId, deviceId)} />
      <div className="dialog-actions">
        <button type="button" className="button primary" onClick={end}>
          I have copied it
        </button>
      </div>
    </>
  )
}

interface FieldsProps {
  readonly devices: NonNullable<DevicesToApproveQuery['devices']>
  /** The id of the one that is chosen; '' before that. */
  readonly device: string
  readonly choose: (device: string) => void
  readonly error: CombinedError | undefined
}

/** Which device, for how long; and a link to ask someone else for it. */
function ApprovalFields({ devices, device, choose, error }: FieldsProps) {
  return (
    <>
      <Field label="Device" fault={faultOf(error, 'deviceId')}>
        <select required value={device} onChange={({ target }) => choose(target.value)}>
          <option value="">Choose a device</option>
          {devices.nodes.map(({ id, name, owner }) => (
            <option key={id} value={id}>
              {owner.handle}/{name}
            </option>
          ))}
        </select>
      </Field>
      {devices.pageInfo.hasNextPage && (
        <p className="dim small">
          These are the newest 100. Approve another one with <code>hub approve</code>.
        </p>
      )}
      <Field label="For" fault={faultOf(error, 'expiresAt')}>
        <select name="hours" defaultValue="8">
          {approvalTimes.map(({ hours, label }) => (
            <option key={hours} value={hours}>
              {label}
            </option>
          ))}
        </select>
      </Field>
      {device !== '' && (
        <details>
          <summary>Ask someone else</summary>
          <p>Send this link to a person who can approve it:</p>
          <Command label="link to ask for an approval" text={askLink(device)} />
        </details>
      )}
    </>
  )
}

const askLink = (deviceId: string) =>
  `${location.origin}${location.pathname}?${new URLSearchParams({ approve: deviceId })}`
