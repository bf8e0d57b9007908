/** The ways to sign in to this hub. */
import { commands } from '../../app/commands.ts'
import { useSearchParams } from '../../app/navigate.tsx'
import { useSession } from '../../app/session.tsx'
import { NoPasskeys } from '../../ui/no-passkeys.tsx'
import { PageHeader } from '../../ui/page-header.tsx'
import { passkeyUseHere } from '../../ui/passkeys.ts'
import { rootField } from '../../ui/root-field.ts'
import { ErrorNotice, Loading } from '../../ui/states.tsx'
import { useReading } from '../../ui/use-reading.ts'
import { signInQuery } from './login.graphql.ts'
import { PasskeyButton } from './passkey-button.tsx'
import { PasswordForm } from './password-form.tsx'
import { pathToReturnTo } from './return-to.ts'

export function Page() {
  const [search] = useSearchParams()
  const { viewer } = useSession()
  const [answer, again] = useReading({ query: signInQuery })
  const { value: provider, error } = rootField(answer, 'identityProvider')
  const { value: ways, error: noWays } = rootField(answer, 'signInWays')
  const returnTo = search.get('return_to') ?? '/'
  const query = new URLSearchParams({ return_to: returnTo })
  // A provider asks a person who is signed in there for nothing, unless it is told to.
  const providerQuery = viewer ? new URLSearchParams({ return_to: returnTo, again: '1' }) : query
  const hasPasswords = ways?.password === true
  const passkeys = ways && passkeyUseHere(ways)
  return (
    <>
      <PageHeader title="Sign in" />
      <div className="panel stack">
        {viewer && <p>You are signed in as {viewer.account.handle}. Sign in again to approve devices and spend.</p>}
        {error && <ErrorNotice error={error} retry={again} />}
        {noWays && <ErrorNotice error={noWays} retry={again} />}
        {provider === undefined && !error && <Loading lines={2} />}
        {provider && (
          <div>
            <a className="button primary" href={`/auth/login?${providerQuery}`} title={provider.issuer}>
              Sign in with {provider.name}
            </a>
          </div>
        )}
        {passkeys?.can && <PasskeyButton returnTo={pathToReturnTo(returnTo, location.origin)} />}
        {hasPasswords && passkeys?.can === false && <NoPasskeys use={passkeys} path={`/login?${query}`} />}
        {hasPasswords && (
          <PasswordForm
            key={viewer?.account.handle}
            handle={viewer?.account.handle ?? null}
            returnTo={pathToReturnTo(returnTo, location.origin)}
          />
        )}
        {(provider !== undefined || error) && (
          <div>
            <a className={provider || hasPasswords ? 'button' : 'button primary'} href={`/auth/session?${query}`}>
              Sign in with a session token
            </a>
          </div>
        )}
        {provider === null && (
          <p className="dim">
            {hasPasswords
              ? 'Without a password or a passkey, ask the operator for a session: '
              : 'The operator makes a session for you: '}
            <code>{commands.addSession()}</code>
          </p>
        )}
      </div>
    </>
  )
}
