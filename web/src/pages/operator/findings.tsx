/** What `hub doctor` finds, by the hub that runs. */
import { words } from '../../ui/format.ts'
import { rootField } from '../../ui/root-field.ts'
import { ErrorNotice, Loading } from '../../ui/states.tsx'
import { useReading } from '../../ui/use-reading.ts'
import { hubFindingsQuery } from './operator.graphql.ts'

const tones = { OK: 'good', WARN: 'warn', FAIL: 'bad' } as const

export function Findings() {
  const [answer, refresh] = useReading({ query: hubFindingsQuery })
  const { value: findings, error } = rootField(answer, 'hubFindings')
  return (
    <section className="panel stack" aria-label="Checks">
      <div className="row">
        <h2>Checks</h2>
        <button type="button" className="button small" disabled={answer.fetching} onClick={refresh}>
          Check again
        </button>
      </div>
      {error && <ErrorNotice error={error} retry={refresh} />}
      {!findings && !error && <Loading lines={4} />}
      {findings && (
        <dl className="facts">
          {findings.map(({ name, status, detail, fix }) => (
            <div key={name} className="fact-row">
              <dt>{name}</dt>
              <dd>
                <span className={`badge ${tones[status]}`}>{words(status)}</span> {detail}
                {fix && <div className="dim">To do: {fix}</div>}
              </dd>
            </div>
          ))}
        </dl>
      )}
    </section>
  )
}
