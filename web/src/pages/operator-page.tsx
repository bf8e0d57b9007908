/** The hub as its operator sees it: users, invitations, room, jobs that failed, and what `doctor` finds. */

import { useEffect, useState } from 'react'
import { commands } from '../app/commands.ts'
import { useSession } from '../app/session.tsx'
import { Command } from '../ui/command.tsx'
import { PageHeader } from '../ui/page-header.tsx'
import { PageError } from '../ui/problem.ts'
import { Empty, ErrorNotice, Loading } from '../ui/states.tsx'
import { Invitations } from './accounts/invitations.tsx'
import { SignInFirst } from './accounts/sign-in-first.tsx'
import { FailedJobs } from './operator/failed-jobs.tsx'
import { Findings } from './operator/findings.tsx'
import { Storage } from './operator/storage.tsx'
import { Users } from './operator/users.tsx'

/** The answers of `/healthz` and `/readyz`. */
interface Health {
  readonly version: string
  readonly isReady: boolean
  readonly checks: readonly (readonly [name: string, state: string])[]
}

async function readHealth(): Promise<Health> {
  const [health, ready] = await Promise.all([fetch('/healthz'), fetch('/readyz')])
  const { version } = (await health.json()) as { version: string }
  const told = (await ready.json()) as Record<string, unknown>
  const checks = Object.entries(told).map(
    ([name, state]) => [name, typeof state === 'string' ? state : JSON.stringify(state)] as const,
  )
  return { version, isReady: ready.ok, checks }
}

const operating: readonly (readonly [text: string, about: string])[] = [
  [commands.doctor(), 'what is wrong with this hub, and the fix'],
  [commands.backup(), 'database, secret and objects'],
  [commands.addUser(), 'users, orgs, keys and sessions are made at the command line'],
]

const metricsSettings = (
  <>
    <code>METRICS_HOST</code>, <code>METRICS_PORT</code> and <code>METRICS_TOKEN</code>
  </>
)

export function Page() {
  const { viewer } = useSession()
  return (
    <SignInFirst title="Operator">
      <PageHeader title="Operator" about="The whole hub, for the account of its operator." />
      {viewer && !viewer.isOperator && (
        <Empty title="This page is for the operator">
          <p>Sign in with the account of the operator. Ask the people who run this hub which one it is.</p>
        </Empty>
      )}
      {viewer?.isOperator && (
        <div className="stack">
          <HealthPanel />
          <Users />
          <Invitations org={null} />
          <Storage />
          <FailedJobs />
          <Findings />
          <Commands />
        </div>
      )}
    </SignInFirst>
  )
}

function HealthPanel() {
  const [health, setHealth] = useState<Health | null>(null)
  const [error, setError] = useState<Error | null>(null)
  const [tries, setTries] = useState(0)
  useEffect(() => {
    let isCurrent = true
    readHealth().then(
      (read) => isCurrent && setHealth(read),
      () => isCurrent && setError(new PageError('No answer', 'The hub does not answer.')),
    )
    return () => {
      isCurrent = false
    }
  }, [tries])
  const again = () => {
    setError(null)
    setTries(tries + 1)
  }
  return (
    <section className="panel" aria-label="Health">
      {error && <ErrorNotice error={error} retry={again} />}
      {!health && !error && <Loading lines={2} />}
      {health && (
        <dl className="facts">
          <dt>Version</dt>
          <dd>{health.version}</dd>
          <dt>Ready</dt>
          <dd>
            <span className={health.isReady ? 'badge good' : 'badge bad'}>{health.isReady ? 'yes' : 'no'}</span>
          </dd>
          {health.checks.map(([name, state]) => (
            <div key={name} className="fact-row">
              <dt>{name}</dt>
              <dd>{state}</dd>
            </div>
          ))}
        </dl>
      )}
    </section>
  )
}

/** What needs the machine of the hub. */
function Commands() {
  return (
    <>
      {operating.map(([text, about]) => (
        <section key={text} className="panel stack" aria-label={text}>
          <p>{about}</p>
          <Command text={text} label={about} />
        </section>
      ))}
      <p className="dim">
        Metrics for Prometheus are at /metrics, to those that {metricsSettings} let in; a board and alert rules are in
        deploy/.
      </p>
    </>
  )
}
