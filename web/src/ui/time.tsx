/** A time as "2 hours ago", with the exact one on hover and for machines. */
import { ago } from './format.ts'

export function Time({ at }: { readonly at: string | null | undefined }) {
  if (!at) return <span className="dim">–</span>
  return (
    <time dateTime={at} title={new Date(at).toLocaleString()}>
      {ago(at)}
    </time>
  )
}
