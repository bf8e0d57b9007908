/** Where a link that works once leads: a way to sign in, or an account. The token is in the fragment. */
import { useEffect, useState } from 'react'
import { PageHeader } from '../../ui/page-header.tsx'
import type { Problem } from '../../ui/problem.ts'
import { Loading, ProblemNotice } from '../../ui/states.tsx'
import { postAuth } from './post-auth.ts'
import { Redeem } from './redeem.tsx'
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
