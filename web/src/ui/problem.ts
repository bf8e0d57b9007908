/** The Problems (RFC 9457) in an error of the graph: docs, "Errors". */
import type { CombinedError } from 'urql'

export interface Problem {
  readonly type: string
  readonly title: string
  readonly detail: string
  /** Input faults: where (`input.name`), and what is wrong. */
  readonly errors?: readonly { readonly loc?: readonly (string | number)[]; readonly detail: string }[]
}

/** What a page finds wrong by itself: a title that names it, and one sentence for a person. */
export class PageError extends Error {
  readonly title: string
  constructor(title: string, detail: string, options?: ErrorOptions) {
    super(detail, options)
    this.title = title
  }
}

/** The first Problem of an error; null for an unreachable hub and the like. */
function problemOf(error: CombinedError | Error | undefined): Problem | null {
  const first = error && 'graphQLErrors' in error ? error.graphQLErrors[0] : undefined
  const problem = first?.extensions?.problem
  return typeof problem === 'object' && problem !== null ? (problem as Problem) : null
}

/** The last part of the type of a Problem, such as `precondition.failed`; empty where there is none. */
export function kindOf(error: CombinedError | Error): string {
  const type = problemOf(error)?.type ?? ''
  return type.slice(type.lastIndexOf('/') + 1)
}

/** The faults of the input, each with its place. */
export const faultsOf = (
  error: CombinedError | Error,
): readonly { readonly loc: readonly (string | number)[]; readonly detail: string }[] =>
  (problemOf(error)?.errors ?? []).map(({ loc = [], detail }) => ({ loc, detail }))

/** Whether signing in may help. */
export function asksToSignIn(error: CombinedError | Error): boolean {
  const type = problemOf(error)?.type ?? ''
  return (type.includes('auth') && !type.endsWith('/auth.disabled')) || type.endsWith('/forbidden.old_sign_in')
}

/** Whether the reader is not signed in: the Problem itself speaks to programs. */
const isSignedOut = (problem: Problem | null) => problem?.type.endsWith('/auth.missing') ?? false

/** What is wrong, in a few words. */
export function titleOf(error: CombinedError | Error): string {
  const problem = problemOf(error)
  if (problem) return isSignedOut(problem) ? 'Sign in first' : problem.title
  if (error instanceof PageError) return error.title
  return hasNoAnswer(error) ? 'No answer' : 'Something went wrong'
}

const hasNoAnswer = (error: CombinedError | Error) => 'networkError' in error && error.networkError !== undefined

/** One sentence for a person. */
export function messageOf(error: CombinedError | Error): string {
  const problem = problemOf(error)
  if (isSignedOut(problem)) return 'Only people who are signed in see what is here, as far as it is theirs.'
  if (problem) return problem.detail || problem.title
  if (hasNoAnswer(error)) return 'The hub cannot be reached. Check your connection and try again.'
  return error.message
}

/** The field that a fault is about: of a list it is the whole list (`tags` of `input.tags.1`). */
const fieldOf = ({ loc }: { readonly loc?: readonly (string | number)[] }) =>
  loc?.findLast((part) => typeof part === 'string')

/** Whether each fault stands at one of the named fields of a form, so that nothing is left to say above it. */
export function isAtFields(error: CombinedError | Error, names: readonly string[]): boolean {
  const faults = problemOf(error)?.errors ?? []
  return faults.length > 0 && faults.every((fault) => names.includes(fieldOf(fault) ?? ''))
}

/**
 * Whether one of the texts that stand at the fields of a form says what is wrong with each field: a form leaves some
 * fields out, such as the owner where there is one account only. Of several faults of one field the first stands there.
 */
export const isSaidBy = (error: CombinedError, texts: readonly string[]): boolean =>
  (problemOf(error)?.errors ?? []).every((fault) => texts.includes(faultOf(error, `${fieldOf(fault) ?? ''}`) ?? ''))

/** What is wrong with one input field, by the last name of its place. */
export function faultOf(error: CombinedError | undefined, name: string): string | null {
  const faults = problemOf(error)?.errors ?? []
  return faults.find((fault) => fieldOf(fault) === name)?.detail ?? null
}
