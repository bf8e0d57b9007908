/** The ways to sign in to this hub. */
import { useQuery } from 'urql'
import { commands } from '../../app/commands.ts'
import { useSearchParams } from '../../app/navigate.tsx'
import { useSession } from '../../app/session.tsx'
import { PageHeader } from '../../ui/page-header.tsx'
import { rootField } from '../../ui/root-field.ts'
import { ErrorNotice, Loading } from '../../ui/states.tsx'
import { signInQuery } from './login.graphql.ts'

export function Page() {
  const [search] = useSearchParams()
  const { viewer } = useSession()
  const [answer, again] = useQuery({ query: signInQuery })
  const { value: provider, error } = rootField(answer, 'identityProvider')
  const query = new URLSearchParams({ return_to: search.get('return_to') ?? '/' })
  return (
    <>
      <PageHeader title="Sign in" />
      <div className="panel stack">
        {viewer && <p>You are signed in as {viewer.account.handle}.</p>}
        {error && <ErrorNotice error={error} retry={again} />}
        {provider === undefined && !error && <Loading lines={2} />}
        {provider && (
          <div>
            <a className="button primary" href={`/auth/login?${query}`} title={provider.issuer}>
              Sign in with {provider.name}
            </a>
          </div>
        )}
        {(provider !== undefined || error) && (
          <div>
            <a className={provider ? 'button' : 'button primary'} href={`/auth/session?${query}`}>
              Sign in with a session token
            </a>
          </div>
        )}
        {provider === null && (
          <p className="dim">
            This hub has no identity provider. Its operator makes a session for you:{' '}
            <code>{commands.addSession()}</code>
          </p>
        )}
      </div>
    </>
  )
}
