/** Who is signed in, for every page. */
import { createContext, type ReactNode, useContext } from 'react'
import { useQuery } from 'urql'
import { type SessionQuery, sessionQuery } from './session.graphql.ts'

type Viewer = NonNullable<SessionQuery['viewer']>

interface Session {
  /** Null for an anonymous visitor. */
  readonly viewer: Viewer | null
  /** Until the first answer. */
  readonly isLoading: boolean
}

const Context = createContext<Session>({ viewer: null, isLoading: true })

export function SessionProvider({ children }: { readonly children: ReactNode }) {
  const [{ data, fetching }] = useQuery({ query: sessionQuery })
  const value = { viewer: data?.viewer ?? null, isLoading: fetching && !data }
  return <Context value={value}>{children}</Context>
}

export const useSession = (): Session => useContext(Context)

/** Handles of the accounts that the person acts for: the own one first. */
export function accountsOf(viewer: Viewer | null): string[] {
  return viewer ? [viewer.account.handle, ...viewer.orgs.map(({ handle }) => handle)] : []
}
