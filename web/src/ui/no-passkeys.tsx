/** Why a page has no passkeys, and where they work. */
import type { PasskeyUse } from './passkeys.ts'

interface Props {
  readonly use: Extract<PasskeyUse, { readonly can: false }>
  /** Path and fragment of the same page at the other address. */
  readonly path: string
}

export function NoPasskeys({ use: { why, elsewhere }, path }: Props) {
  return (
    <p className="dim">
      {why} {elsewhere && <a href={`${elsewhere}${path}`}>Open this page there</a>}
    </p>
  )
}
