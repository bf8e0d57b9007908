/** In place of a page about one thing that is not there: what failed, loading, or that there is none. */
import { signInPath } from '../app/navigate.tsx'
import { useSession } from '../app/session.tsx'
import { PageHeader } from './page-header.tsx'
import type { RootField } from './root-field.ts'
import { Empty, ErrorNotice, Loading } from './states.tsx'

interface Props {
  /** What the page is about: "run". */
  readonly what: string
  /** Without a value. */
  readonly field: RootField<unknown>
  readonly retry: () => void
}

export function NotThere({ what, field: { value, error }, retry }: Props) {
  const { viewer } = useSession()
  if (value === undefined && !error) return <Loading />
  return (
    <>
      <PageHeader title={`${what.charAt(0).toUpperCase()}${what.slice(1)}`} />
      {error ? (
        <ErrorNotice error={error} retry={retry} />
      ) : (
        <Empty title={`There is no such ${what}, or you cannot see it`}>
          <p>
            {viewer
              ? 'Ask who sent you here whether it was deleted, or is of an organization that you are not in.'
              : 'If it is of your team, sign in to see it.'}
          </p>
          {!viewer && (
            <a className="button primary" href={signInPath()}>
              Sign in
            </a>
          )}
        </Empty>
      )}
    </>
  )
}
