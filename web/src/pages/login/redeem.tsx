/** Redeeming a link, with a passkey or a password. */
import { type FormEvent, useRef, useState } from 'react'
import { useSession } from '../../app/session.tsx'
import { browserOf } from '../../ui/browser-of.ts'
import { Field } from '../../ui/field.tsx'
import { NoPasskeys } from '../../ui/no-passkeys.tsx'
import { createPasskey, passkeyUseHere } from '../../ui/passkeys.ts'
import type { Problem } from '../../ui/problem.ts'
import { rootField } from '../../ui/root-field.ts'
import { ProblemNotice } from '../../ui/states.tsx'
import { Time } from '../../ui/time.tsx'
import { useReading } from '../../ui/use-reading.ts'
import { signInQuery } from './login.graphql.ts'
import { isEmpty, isStarted, postAuth } from './post-auth.ts'
import { type ShownLink, titleOfLink } from './shown-link.ts'

interface Props {
  readonly token: string
  readonly link: ShownLink
}

const differs: Problem = { type: 'differs', title: 'Two passwords', detail: 'The two are not the same.' }

export function Redeem({ token, link }: Props) {
  const { viewer } = useSession()
  const [answer] = useReading({ query: signInQuery })
  const { value: ways } = rootField(answer, 'signInWays')
  const passkeys = ways && passkeyUseHere(ways)
  const form = useRef<HTMLFormElement>(null)
  const [problem, setProblem] = useState<Problem | null>(null)
  const [isBusy, setBusy] = useState(false)
  const isInvitation = link.kind === 'invitation'
  const entered = () => {
    const data = new FormData(form.current ?? undefined)
    return (name: string) => String(data.get(name) ?? '')
  }
  const send = async (work: () => Promise<Problem | null>) => {
    setBusy(true)
    setProblem(null)
    const refused = await work()
    if (refused === null) return location.assign('/')
    setBusy(false)
    setProblem(refused)
  }
  const join = () => send(() => posted('/auth/link/join', { token }))
  const submit = (event: FormEvent) => {
    event.preventDefault()
    const text = entered()
    if (text('password') !== text('again')) return setProblem(differs)
    const body = { token, password: text('password'), handle: text('handle'), name: text('name') }
    return send(() => posted('/auth/link', body))
  }
  const usePasskey = () => {
    const handle = form.current?.elements.namedItem('handle')
    if (handle instanceof HTMLInputElement && !handle.reportValidity()) return
    const text = entered()
    return send(() => withPasskey({ token, handle: text('handle'), name: text('name') }))
  }
  return (
    <>
      <p className="dim">
        The link works once, and ends <Time at={link.expiresAt} />.
      </p>
      {problem && <ProblemNotice problem={problem} />}
      {isInvitation && link.org !== null && viewer && (
        <div>
          <button type="button" className="button primary" disabled={isBusy} onClick={() => void join()}>
            Join {link.org} as {viewer.account.handle}
          </button>
        </div>
      )}
      <form className="stack" ref={form} onSubmit={submit} aria-label={titleOfLink(link)}>
        {isInvitation && viewer && <h2>Or make a new account</h2>}
        <WhoFields link={link} />
        {link.kind === 'reset' && (
          <p>Your old password and passkeys stop working, and all your sessions end; API keys stay valid.</p>
        )}
        {passkeys?.can && (
          <>
            <h2>With a passkey</h2>
            <p className="dim">Your device, or a password manager, signs you in: there is nothing to remember.</p>
            <div>
              <button type="button" className="button primary" disabled={isBusy} onClick={() => void usePasskey()}>
                {isInvitation ? 'Make the account with a passkey' : 'Use a passkey'}
              </button>
            </div>
            <h2>Or with a password</h2>
          </>
        )}
        <PasswordFields />
        <div>
          <button type="submit" className={passkeys?.can ? 'button' : 'button primary'} disabled={isBusy}>
            {isInvitation ? 'Make the account' : 'Set the password'}
          </button>
        </div>
        {passkeys?.can === false && <NoPasskeys use={passkeys} path={`/redeem#${token}`} />}
      </form>
    </>
  )
}

/** The handle of the account, to be chosen for a new one, and its name. */
function WhoFields({ link }: Pick<Props, 'link'>) {
  const isInvitation = link.kind === 'invitation'
  return (
    <>
      <Field label="Handle" hint={isInvitation ? 'Lower-case letters, digits and inner hyphens.' : ''}>
        <input
          name="handle"
          required
          readOnly={!isInvitation}
          defaultValue={link.handle ?? ''}
          autoComplete="username"
          autoCapitalize="none"
          spellCheck={false}
        />
      </Field>
      {isInvitation && (
        <Field label="Name">
          <input name="name" maxLength={200} autoComplete="name" />
        </Field>
      )}
    </>
  )
}

function PasswordFields() {
  return (
    <>
      <Field label="New password" hint="At least 12 characters.">
        <input name="password" type="password" required minLength={12} autoComplete="new-password" />
      </Field>
      <Field label="New password again">
        <input name="again" type="password" required autoComplete="new-password" />
      </Field>
    </>
  )
}

/** Null once it is redeemed, else why not. */
async function posted(path: `/auth/link${string}`, body: Readonly<Record<string, unknown>>): Promise<Problem | null> {
  const result = await postAuth(path, body, isEmpty)
  return 'problem' in result ? result.problem : null
}

async function withPasskey(person: Readonly<Record<'token' | 'handle' | 'name', string>>): Promise<Problem | null> {
  const started = await postAuth('/auth/link/passkey/start', person, isStarted)
  if ('problem' in started) return started.problem
  const { ceremony, options } = started.answer
  const created = await createPasskey(options)
  if ('problem' in created) return created.problem
  const passkeyName = browserOf(navigator.userAgent)
  return posted('/auth/link/passkey', { ...person, ceremony, passkey_name: passkeyName, ...created.made })
}
