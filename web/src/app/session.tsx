/** Who is signed in, for every page. */
import { createContext, type ReactNode, useContext } from 'react'
import type { CombinedError } from 'urql'
import { kindOf } from '../ui/problem.ts'
import { rootField } from '../ui/root-field.ts'
import { useReading } from '../ui/use-reading.ts'
import { type SessionQuery, sessionQuery } from './session.graphql.ts'

type Viewer = NonNullable<SessionQuery['viewer']>

interface Session {
  /** Null for an anonymous visitor, and while it is not known who is here. */
  readonly viewer: Viewer | null
  /** Until the first answer. */
  readonly isLoading: boolean
  /** Why it is not known who is here. */
  readonly error: CombinedError | undefined
  readonly again: () => void
}

const Context = createContext<Session>({ viewer: null, isLoading: true, error: undefined, again: () => undefined })

export function SessionProvider({ children }: { readonly children: ReactNode }) {
  const [answer, again] = useReading({ query: sessionQuery })
  const field = rootField(answer, 'viewer')
  // To a visitor the hub answers that a credential is missing: that is no failure, but who is here.
  const isVisitor = field.error !== undefined && kindOf(field.error) === 'auth.missing'
  const { value: viewer, error } = isVisitor ? { value: null, error: undefined } : field
  const value = {
    viewer: viewer ?? null,
    isLoading: answer.fetching && viewer === undefined,
    error: viewer === undefined ? error : undefined,
    again,
  }
  return <Context value={value}>{children}</Context>
}

export const useSession = (): Session => useContext(Context)

/** Whether the visitor is anonymous: true once the hub has said so, not while it is asked or after an error. */
export function useIsVisitor(): boolean {
  const { viewer, isLoading, error } = useSession()
  return viewer === null && !isLoading && error === undefined
}

/** Handles of the accounts that the person acts for: the own one first. */
export function accountsOf(viewer: Viewer | null): string[] {
  return viewer ? [viewer.account.handle, ...viewer.orgs.map(({ handle }) => handle)] : []
}
