/** What the people of the person's accounts did lately, as far as the person may see it. */
import { useMemo } from 'react'
import { Link } from '../../app/navigate.tsx'
import { Avatar } from '../../ui/avatar.tsx'
import { rootField } from '../../ui/root-field.ts'
import { ErrorNotice } from '../../ui/states.tsx'
import { Time } from '../../ui/time.tsx'
import { useReading } from '../../ui/use-reading.ts'
import { Target } from '../audit/target.tsx'
import { merged, told } from '../audit/told.ts'
import { useTargets } from '../audit/use-targets.ts'
import { activityQuery } from './feed.graphql.ts'

/** Lines that are shown; the audit log has the rest. */
const SHOWN = 12

export function Feed() {
  const [answer, again] = useReading({ query: activityQuery })
  const { value, error } = rootField(answer, 'activity')
  const lines = useMemo(() => merged(value ?? []).slice(0, SHOWN), [value])
  const ids = useMemo(() => lines.map(({ entry }) => entry.targetId), [lines])
  const targets = useTargets(ids)
  if (!value && error) return <ErrorNotice error={error} retry={again} />
  if (lines.length === 0) return null
  return (
    <section className="stack" aria-label="Activity">
      <div className="row spread">
        <h2>Activity</h2>
        <Link to="audit" params={{}}>
          Audit log
        </Link>
      </div>
      {error && <ErrorNotice error={error} retry={again} />}
      <ul className="panel plain-list">
        {lines.map(({ entry, times }) => (
          <li key={entry.id} className="row spread">
            <span>
              {entry.actor && (
                <>
                  <Avatar account={entry.actor} size={20} />{' '}
                  <Link to="account" params={{ handle: entry.actor.handle }}>
                    {entry.actor.handle}
                  </Link>
                </>
              )}{' '}
              {told[entry.action] ?? entry.action} <Target id={entry.targetId} targets={targets} />
              {times > 1 && <span className="dim"> ({times} times)</span>}
            </span>
            <span className="dim small">
              <Time at={entry.at} />
            </span>
          </li>
        ))}
      </ul>
    </section>
  )
}
