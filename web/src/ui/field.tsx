/** A labelled input with what is wrong with it. */
import type { ReactNode } from 'react'

interface Props {
  readonly label: string
  readonly hint?: string
  readonly fault?: string | null
  readonly children: ReactNode
}

export function Field({ label, hint, fault, children }: Props) {
  return (
    // biome-ignore lint/a11y/noLabelWithoutControl: the control is the child
    <label className="field">
      <span>{label}</span>
      {children}
      {hint && <small className="dim">{hint}</small>}
      {fault && (
        <small className="field-error" role="alert">
          {fault}
        </small>
      )}
    </label>
  )
}
