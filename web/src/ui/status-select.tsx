/** The choice of one status, or of any. */
import { words } from './format.ts'

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
