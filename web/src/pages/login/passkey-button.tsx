/** Signing in with a passkey: the browser shows which ones there are. */
import { useState } from 'react'
import { askForPasskey } from '../../ui/passkeys.ts'
import type { Problem } from '../../ui/problem.ts'
import { ProblemNotice } from '../../ui/states.tsx'
import { isEmpty, isStarted, postAuth } from './post-auth.ts'

interface Props {
  /** A path of this hub. */
  readonly returnTo: string
}

export function PasskeyButton({ returnTo }: Props) {
  const [problem, setProblem] = useState<Problem | null>(null)
  const [isBusy, setBusy] = useState(false)
  const signIn = async () => {
    setBusy(true)
    setProblem(null)
    const refused = await withPasskey()
    if (refused === null) return location.assign(returnTo)
    setBusy(false)
    setProblem(refused)
  }
  return (
    <div className="stack">
      {problem && <ProblemNotice problem={problem} />}
      <div>
        <button type="button" className="button primary" disabled={isBusy} onClick={() => void signIn()}>
          Sign in with a passkey
        </button>
      </div>
    </div>
  )
}

/** Null once the person is signed in, else why not. */
async function withPasskey(): Promise<Problem | null> {
  const started = await postAuth('/auth/passkey/start', {}, isStarted)
  if ('problem' in started) return started.problem
  const asked = await askForPasskey(started.answer.options)
  if ('problem' in asked) return asked.problem
  const result = await postAuth('/auth/passkey', { ceremony: started.answer.ceremony, ...asked.made }, isEmpty)
  return 'problem' in result ? result.problem : null
}
