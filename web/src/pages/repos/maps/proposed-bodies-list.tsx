/** The robots that may have the joints of a source, each with why, for a person to choose. */
import { RepoLink } from '../repo-table.tsx'
import type { ProposedBody } from './proposed-bodies.ts'

interface Props {
  readonly bodies: readonly ProposedBody[]
  readonly choose: (robot: string) => void
}

export function ProposedBodies({ bodies, choose }: Props) {
  if (bodies.length === 0)
    return <p className="small dim">Nothing here says which robot has these joints: write its name above.</p>
  return (
    <section className="small" aria-label="Proposed robots">
      <p>Robots that may have these joints, and why. Only one that the repo names is shown unasked.</p>
      <ul className="lines">
        {bodies.map(({ robot, isNamed, reasons }) => (
          <li key={robot} className="row spread">
            <span>
              <RepoLink fullName={robot} /> {isNamed && <span className="badge">named</span>}{' '}
              <span className="dim">{reasons.join(' ')}</span>
            </span>
            <button
              type="button"
              className="button small"
              aria-label={`Show ${robot} beside`}
              onClick={() => choose(robot)}
            >
              Show
            </button>
          </li>
        ))}
      </ul>
    </section>
  )
}
