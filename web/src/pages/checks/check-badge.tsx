import { Status } from '../../ui/status.tsx'
import { resultOf } from './check-result.ts'

/** The verdict of a check, or how far it is. */
export function CheckBadge({ check }: { readonly check: Parameters<typeof resultOf>[0] }) {
  const { tone, text } = resultOf(check)
  return <Status of={tone} text={text} />
}
