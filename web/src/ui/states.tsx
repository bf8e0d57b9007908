/** What a page shows while it waits, when nothing is there, and when something failed. */
import { type ReactNode, useEffect, useLayoutEffect, useRef, useState } from 'react'
import type { CombinedError } from 'urql'
import { signInPath } from '../app/navigate.tsx'
import { asksToSignIn, isAtFields, isSaidBy, messageOf, type Problem, titleOf } from './problem.ts'

export function Loading({ lines = 4 }: { readonly lines?: number }) {
  return (
    <div className="loading" role="status" aria-label="Loading">
      {Array.from({ length: lines }, (_, line) => (
        <span key={line} />
      ))}
    </div>
  )
}

interface EmptyProps {
  readonly title: string
  /** What to do about it. */
  readonly children?: ReactNode
}

export function Empty({ title, children }: EmptyProps) {
  return (
    <div className="empty">
      <h2>{title}</h2>
      {children}
    </div>
  )
}

interface ErrorProps {
  readonly error: CombinedError | Error
  readonly retry?: () => void
}

/** The title and detail of the Problem; a way to sign in where that is missing. */
export function ErrorNotice({ error, retry }: ErrorProps) {
  return (
    <div className="notice" role="alert">
      <h2>{titleOf(error)}</h2>
      <p>{messageOf(error)}</p>
      <div className="row">
        {asksToSignIn(error) && (
          <a className="button primary" href={signInPath()}>
            Sign in
          </a>
        )}
        {retry && (
          <button type="button" className="button" onClick={() => retry()}>
            Try again
          </button>
        )}
      </div>
    </div>
  )
}

/** A Problem that a route answered, with no way on. */
export function ProblemNotice({ problem }: { readonly problem: Problem }) {
  return (
    <div className="notice" role="alert">
      <h2>{problem.title}</h2>
      <p>{problem.detail}</p>
    </div>
  )
}

/**
 * Above a form: what is wrong, unless its fields say it themselves. Either is brought to the person's eyes and
 * keyboard.
 */
export function FormError({ error, fields }: { readonly error: CombinedError; readonly fields: readonly string[] }) {
  const place = useRef<HTMLDivElement>(null)
  const [isDrawn, setDrawn] = useState(true)
  const isAtField = isAtFields(error, fields) && isDrawn
  // Before the browser paints, when the fields of the same form are there.
  useLayoutEffect(() => {
    const drawn = place.current?.closest('form, dialog')?.querySelectorAll('.field-error') ?? []
    setDrawn(
      isSaidBy(
        error,
        Array.from(drawn, ({ textContent }) => textContent ?? ''),
      ),
    )
  }, [error])
  // A window that shows the button of a long form does not show its beginning, nor each field.
  useEffect(() => {
    // Nothing is returned: a browser's scrolling answers a promise, which React would take for a clean-up.
    if (!isAtField) {
      place.current?.scrollIntoView({ block: 'center' })
      return
    }
    const fault = place.current?.closest('form, dialog')?.querySelector('.field-error')
    const control = fault?.closest('.field')?.querySelector<HTMLElement>('input, select, textarea')
    if (control) control.focus()
    else fault?.scrollIntoView({ block: 'center' })
  }, [error, isAtField])
  return (
    <div ref={place} hidden={isAtField}>
      {!isAtField && <ErrorNotice error={error} />}
    </div>
  )
}
