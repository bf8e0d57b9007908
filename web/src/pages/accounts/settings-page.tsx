/** The person: account, storage, profile, and where they are signed in. */
import { Link } from '../../app/navigate.tsx'
import { useSession } from '../../app/session.tsx'
import { Action } from '../../ui/action.tsx'
import { bytes } from '../../ui/format.ts'
import { LoadMore } from '../../ui/load-more.tsx'
import { PageHeader } from '../../ui/page-header.tsx'
import { passkeyUseHere } from '../../ui/passkeys.ts'
import { rootField } from '../../ui/root-field.ts'
import { ErrorNotice, Loading } from '../../ui/states.tsx'
import { itself, usePages } from '../../ui/use-pages.ts'
import { OwnPasskeys } from './own-passkeys.tsx'
import { OwnPassword } from './own-password.tsx'
import { Profile } from './profile.tsx'
import { hasEnded, SessionTable } from './session-table.tsx'
import { endOtherSessionsMutation, type SettingsQueryVariables, settingsQuery } from './settings.graphql.ts'
import { SignInFirst } from './sign-in-first.tsx'

const firstPage: SettingsQueryVariables = {}

export function Page() {
  const { viewer } = useSession()
  const pages = usePages({
    query: settingsQuery,
    variables: firstPage,
    field: 'sessions',
    select: itself,
    pause: viewer === null,
  })
  const { value: password, error: noPassword } = rootField(pages.first, 'ownPassword')
  const { value: passkeys, error: noPasskeys } = rootField(pages.first, 'ownPasskeys')
  const { value: ways, error: noWays } = rootField(pages.first, 'signInWays')
  const current = pages.nodes.find((session) => session.current)
  return (
    <SignInFirst title="Settings">
      <PageHeader title="Settings">
        <Link to="keys" params={{}} className="button">
          API keys
        </Link>
        <Link to="orgs" params={{}} className="button">
          Organizations
        </Link>
        <Link to="audit" params={{}} className="button">
          Audit log
        </Link>
      </PageHeader>
      <div className="stack">
        {viewer && (
          <section className="panel">
            <h2>Account</h2>
            <dl className="facts">
              <dt>Handle</dt>
              <dd>
                <Link to="account" params={{ handle: viewer.account.handle }}>
                  @{viewer.account.handle}
                </Link>
              </dd>
              <dt>Storage</dt>
              <dd>
                <Storage {...viewer.storage} />
              </dd>
            </dl>
          </section>
        )}
        <Profile />
        {noWays && <ErrorNotice error={noWays} retry={pages.refresh} />}
        {noPassword && <ErrorNotice error={noPassword} retry={pages.refresh} />}
        {noPasskeys && <ErrorNotice error={noPasskeys} retry={pages.refresh} />}
        {viewer && ways?.password && passkeys && (
          <OwnPasskeys passkeys={passkeys} use={passkeyUseHere(ways)} changed={pages.refresh} />
        )}
        {viewer && ways?.password && password !== undefined && (
          <OwnPassword handle={viewer.account.handle} changedAt={password?.changedAt ?? null} changed={pages.refresh} />
        )}
        <section className="panel stack">
          <h2>Where you are signed in</h2>
          {pages.error && <ErrorNotice error={pages.error} retry={pages.refresh} />}
          {pages.root === undefined && !pages.error && <Loading />}
          {pages.nodes.length > 0 && <SessionTable sessions={pages.nodes} changed={pages.refresh} />}
          <div className="row">
            <LoadMore pages={pages} />
            {current && pages.nodes.some((session) => !session.current && !hasEnded(session)) && (
              <Action
                mutation={endOtherSessionsMutation}
                variables={{ input: { keep: current.id } }}
                title="End all other sessions"
                done="All other sessions have ended."
                className="button danger"
                finished={pages.refresh}
              >
                <p>Every other browser and program is signed out. API keys stay valid.</p>
              </Action>
            )}
          </div>
        </section>
      </div>
    </SignInFirst>
  )
}

function Storage({ quotaBytes, usedBytes }: { quotaBytes: number; usedBytes: number }) {
  return (
    <>
      <meter max={quotaBytes} value={usedBytes} aria-label="Storage in use" /> {bytes(usedBytes)} of {bytes(quotaBytes)}
    </>
  )
}
