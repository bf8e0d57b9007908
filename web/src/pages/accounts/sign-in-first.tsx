/** A page for those who are signed in; others are asked to sign in, and come back. */
import type { ReactNode } from 'react'
import { signInPath } from '../../app/navigate.tsx'
import { useIsVisitor, useSession } from '../../app/session.tsx'
import { PageHeader } from '../../ui/page-header.tsx'
import { Empty, ErrorNotice, Loading } from '../../ui/states.tsx'

interface Props {
  readonly title: string
  readonly children: ReactNode
}

/** For a list that is read while the hub is asked who is here: people who are signed in do not wait twice. */
export function SignInUnlessKnown({ title, children }: Props) {
  return useIsVisitor() ? <SignInFirst title={title}>{children}</SignInFirst> : children
}

export function SignInFirst({ title, children }: Props) {
  const { viewer, isLoading, error, again } = useSession()
  if (viewer) return children
  return (
    <>
      <PageHeader title={title} />
      {isLoading && <Loading />}
      {error && <ErrorNotice error={error} retry={again} />}
      {!isLoading && !error && (
        <Empty title="Sign in first">
          <p>This page shows what is yours.</p>
          <a className="button primary" href={signInPath()}>
            Sign in
          </a>
        </Empty>
      )}
    </>
  )
}
