/** Where a link that works once leads: a first password, a new one, or an account. The token is in the fragment. */
import { type FormEvent, useEffect, useState } from 'react'
import { useSession } from '../../app/session.tsx'
import { Field } from '../../ui/field.tsx'
import { PageHeader } from '../../ui/page-header.tsx'
import type { Problem } from '../../ui/problem.ts'
import { Loading, ProblemNotice } from '../../ui/states.tsx'
import { Time } from '../../ui/time.tsx'
import { isEmpty, postAuth } from './post-auth.ts'
import { isShownLink, type ShownLink, titleOfLink } from './shown-link.ts'

const noToken: Problem = {
  type: 'no-token',
  title: 'The link is incomplete',
  detail: 'Open it as you got it: the part after # is missing here.',
}

/** The address loses the token, so that neither the history nor a screenshot keeps it. */
const forgetToken = () => history.replaceState(history.state, '', location.pathname)

export function Page() {
  const [token, setToken] = useState(() => location.hash.slice(1))
  const [link, setLink] = useState<ShownLink | null>(null)
  const [problem, setProblem] = useState<Problem | null>(null)
  useEffect(() => {
    // Another link that is opened on this page changes the fragment alone, and nothing is loaded.
    const another = () => {
      if (location.hash === '') return
      setToken(location.hash.slice(1))
      forgetToken()
    }
    addEventListener('hashchange', another)
    return () => removeEventListener('hashchange', another)
  }, [])
  useEffect(() => {
    let isShown = true
    forgetToken()
    setLink(null)
    setProblem(token === '' ? noToken : null)
    if (token !== '')
      void postAuth('/auth/link/look', { token }, isShownLink).then((result) => {
        if (!isShown) return
        if ('answer' in result) setLink(result.answer)
        else setProblem(result.problem)
      })
    return () => {
      isShown = false
    }
  }, [token])
  return (
    <>
      <PageHeader title={link ? titleOfLink(link) : 'Your link'} />
      <div className="panel stack">
        {problem && <ProblemNotice problem={problem} />}
        {!link && !problem && <Loading lines={2} />}
        {link && <Redeem token={token} link={link} />}
      </div>
    </>
  )
}

interface Props {
  readonly token: string
  readonly link: ShownLink
}

function Redeem({ token, link }: Props) {
  const { viewer } = useSession()
  const [problem, setProblem] = useState<Problem | null>(null)
  const [isBusy, setBusy] = useState(false)
  const isInvitation = link.kind === 'invitation'
  const send = async (path: '/auth/link' | '/auth/link/join', body: Readonly<Record<string, unknown>>) => {
    setBusy(true)
    const result = await postAuth(path, { token, ...body }, isEmpty)
    if ('answer' in result) return location.assign('/')
    setBusy(false)
    setProblem(result.problem)
  }
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    const form = new FormData(event.currentTarget)
    const text = (name: string) => String(form.get(name) ?? '')
    if (text('password') !== text('again'))
      return setProblem({ type: 'differs', title: 'Two passwords', detail: 'The two are not the same.' })
    return send('/auth/link', { password: text('password'), handle: text('handle'), name: text('name') })
  }
  return (
    <>
      <p className="dim">
        The link works once, and ends <Time at={link.expiresAt} />.
      </p>
      {problem && <ProblemNotice problem={problem} />}
      {isInvitation && link.org !== null && viewer && (
        <div>
          <button
            type="button"
            className="button primary"
            disabled={isBusy}
            onClick={() => void send('/auth/link/join', {})}
          >
            Join {link.org} as {viewer.account.handle}
          </button>
        </div>
      )}
      <form className="stack" onSubmit={submit} aria-label={titleOfLink(link)}>
        {isInvitation && viewer && <h2>Or make a new account</h2>}
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
        <Field label="New password" hint="At least 12 characters.">
          <input name="password" type="password" required minLength={12} autoComplete="new-password" />
        </Field>
        <Field label="New password again">
          <input name="again" type="password" required autoComplete="new-password" />
        </Field>
        {link.kind === 'reset' && <p>All your sessions end; API keys stay valid.</p>}
        <div>
          <button type="submit" className="button primary" disabled={isBusy}>
            {isInvitation ? 'Make the account' : 'Set the password'}
          </button>
        </div>
      </form>
    </>
  )
}
