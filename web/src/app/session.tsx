/** Who is signed in, for every page. */
import { createContext, type ReactNode, useContext } from 'react'
import type { CombinedError } from 'urql'
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
  const { value: viewer, error } = rootField(answer, 'viewer')
  const value = {
    viewer: viewer ?? null,
    isLoading: answer.fetching && viewer === undefined,
    error: viewer === undefined ? error : undefined,
    again,
  }
  return <Context value={value}>{children}</Context>
}

export const useSession = (): Session => useContext(Context)

/** Handles of the accounts that the person acts for: the own one first. */
export function accountsOf(viewer: Viewer | null): string[] {
  return viewer ? [viewer.account.handle, ...viewer.orgs.map(({ handle }) => handle)] : []
}
