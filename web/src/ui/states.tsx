/** What a page shows while it waits, when nothing is there, and when something failed. */
import type { ReactNode } from 'react'
import type { CombinedError } from 'urql'
import { signInPath } from '../app/navigate.tsx'
import { asksToSignIn, isAtFields, messageOf, type Problem, titleOf } from './problem.ts'

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

/** Above a form: what is wrong, unless its fields say it themselves. */
export function FormError({ error, fields }: { readonly error: CombinedError; readonly fields: readonly string[] }) {
  return isAtFields(error, fields) ? null : <ErrorNotice error={error} />
}
