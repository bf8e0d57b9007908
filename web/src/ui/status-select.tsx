/** The choice of one status, or of any. */
import { words } from './format.ts'
import { Empty } from './states.tsx'

interface Props<Name extends string> {
  readonly statuses: readonly Name[]
  /** Null: any. */
  readonly chosen: Name | null
  readonly choose: (status: Name | null) => void
}

export function StatusSelect<Name extends string>({ statuses, chosen, choose }: Props<Name>) {
  return (
    <select
      aria-label="Status"
      value={chosen ?? ''}
      onChange={({ target }) => choose(statuses.find((one) => one === target.value) ?? null)}
    >
      <option value="">Any status</option>
      {statuses.map((one) => (
        <option key={one} value={one}>
          {words(one)}
        </option>
      ))}
    </select>
  )
}

interface NoneProps {
  /** In the singular: "check". */
  readonly what: string
  readonly status: string
}

/** In place of a list that has nothing of the chosen status: there may be others. */
export function NoneOfStatus({ what, status }: NoneProps) {
  return (
    <Empty title={`No ${what} is ${words(status)}`}>
      <p>Choose Any status to see the others.</p>
    </Empty>
  )
}
