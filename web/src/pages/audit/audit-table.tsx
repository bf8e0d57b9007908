/** Entries of the audit log. */
import { Link } from '../../app/navigate.tsx'
import { Time } from '../../ui/time.tsx'
import type { Entry } from './export.ts'
import { Target } from './target.tsx'
import { told } from './told.ts'
import { useTargets } from './use-targets.ts'

interface Props {
  readonly account: string
  readonly entries: readonly Entry[]
  /** What they are about. */
  readonly ids: readonly string[]
}

export function AuditTable({ account, entries, ids }: Props) {
  const targets = useTargets(ids)
  return (
    <div className="panel flush table-wrap">
      <table className="audit">
        <thead>
          <tr>
            <th>When</th>
            <th>Who</th>
            <th>What</th>
            <th>Target</th>
            <th>Details</th>
          </tr>
        </thead>
        <tbody>
          {entries.map((entry) => (
            <tr key={entry.id}>
              <td className="nowrap">
                <Time at={entry.at} />
              </td>
              <td>
                {entry.actor ? (
                  <Link to="account" params={{ handle: entry.actor.handle }}>
                    {entry.actor.handle}
                  </Link>
                ) : (
                  <span className="dim">the hub</span>
                )}
              </td>
              <td>
                {told[entry.action] ?? entry.action}
                <div className="dim small">
                  <ActionName of={entry.action} />
                </div>
              </td>
              <td>
                <Target id={entry.targetId} targets={targets} />
                <div className="small">
                  <Link to="audit" params={{}} query={{ account, target: entry.targetId }}>
                    All about it
                  </Link>
                </div>
              </td>
              <td>
                <Details entry={entry} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}

const isEmpty = (value: unknown) => JSON.stringify(value) === '{}'

function Details({ entry }: { readonly entry: Entry }) {
  const facts = [
    ['Before', isEmpty(entry.before) ? null : JSON.stringify(entry.before, null, 1)],
    ['After', isEmpty(entry.after) ? null : JSON.stringify(entry.after, null, 1)],
    ['Credential', entry.credentialId],
    ['Request', entry.requestId],
  ] as const
  return (
    <details>
      <summary>Show</summary>
      <dl className="audit-details">
        {facts.map(([name, value]) =>
          value === null ? null : (
            <div key={name}>
              <dt className="dim">{name}</dt>
              <dd>
                <code>{value}</code>
              </dd>
            </div>
          ),
        )}
      </dl>
    </details>
  )
}

/** Such as `files.complete`; where it is too long for its column, it breaks after the dot. */
function ActionName({ of: action }: { readonly of: string }) {
  const [subject = '', ...rest] = action.split('.')
  if (rest.length === 0) return action
  return (
    <>
      {subject}.<wbr />
      {rest.join('.')}
    </>
  )
}
