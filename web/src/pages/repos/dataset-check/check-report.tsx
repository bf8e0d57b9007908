/** What a check of a data set found, each fault with its episode and frame to open, and what the data set has. */
import { Link } from '../../../app/navigate.tsx'
import { count, counted } from '../../../ui/format.ts'
import type { ShownReport } from './shown-report.ts'

type Finding = ShownReport['findings'][number]

interface Props {
  readonly owner: string
  readonly repo: string
  readonly report: ShownReport
  /** What prints the whole report. */
  readonly command: string
}

/** `hub data check --json` has up to 100 of a kind. */
const MOST_SHOWN = 200

export function CheckReport({ owner, repo, report, command }: Props) {
  const { findings, counts, unchecked, summary } = report
  const all = Object.values(counts).reduce((sum, one) => sum + one, 0)
  return (
    <div className="stack">
      <p>
        {counted(report.episodes, 'episode')}, {counted(report.frames, 'frame')}:{' '}
        {all === 0 ? 'nothing is wrong.' : `${counted(all, 'finding')}.`}
      </p>
      {all > 0 && (
        <p className="dim">
          {Object.entries(counts)
            .map(([code, one]) => `${code} ${count(one)}`)
            .join(', ')}
        </p>
      )}
      <ul className="lines">
        {findings
          .toSorted(byPlace)
          .slice(0, MOST_SHOWN)
          .map((finding) => (
            <li key={keyOf(finding)}>
              <strong>{finding.severity}</strong> {finding.code}, <Place owner={owner} repo={repo} finding={finding} />
              {finding.place}: {finding.detail}
            </li>
          ))}
      </ul>
      {findings.length > MOST_SHOWN && (
        <p className="dim">
          {count(findings.length - MOST_SHOWN)} more: {command} has them.
        </p>
      )}
      {unchecked.length > 0 && <p className="dim">Not checked: {unchecked.slice(0, MOST_SHOWN).join('; ')}</p>}
      <Summary summary={summary} />
    </div>
  )
}

/** By episode and frame; first what is of the whole data set. */
const byPlace = (a: Finding, b: Finding): number =>
  (a.episode ?? -1) - (b.episode ?? -1) || (a.frame ?? -1) - (b.frame ?? -1)

const keyOf = ({ code, episode, frame, place }: Finding) => `${code} ${episode} ${frame} ${place}`

function Place({ owner, repo, finding }: Pick<Props, 'owner' | 'repo'> & { readonly finding: Finding }) {
  const { episode, frame } = finding
  if (episode === null) return null
  const query = { episode: String(episode), ...(frame !== null && { frame: String(frame) }) }
  return (
    <>
      <Link to="repoEpisodes" params={{ owner, repo }} query={query}>
        episode {episode}
        {frame !== null && `, frame ${frame}`}
      </Link>
      ,{' '}
    </>
  )
}

function Summary({ summary: { lengths, tasks, joints } }: { readonly summary: ShownReport['summary'] }) {
  return (
    <>
      {tasks.length > 0 && (
        <>
          <h3>Tasks</h3>
          <ul className="lines">
            {tasks.map(({ task, episodes, frames }) => (
              <li key={task}>
                {task}: {counted(episodes, 'episode')}, {counted(frames, 'frame')}
              </li>
            ))}
          </ul>
        </>
      )}
      {lengths && (
        <>
          <h3>Lengths of episodes</h3>
          <Bars name="frames" {...lengths} />
        </>
      )}
      {joints.length > 0 && <h3>Where the joints were</h3>}
      {joints.map(({ place, ...histogram }) => (
        <Bars key={place} name={place} {...histogram} />
      ))}
    </>
  )
}

interface BarsProps {
  readonly name: string
  readonly lower: number
  readonly upper: number
  readonly counts: readonly number[]
}

const HEIGHT = 24

/** The ends of the range are those of the bins: a joint was within them. */
function Bars({ name, lower, upper, counts }: BarsProps) {
  const most = Math.max(1, ...counts)
  const range = `${name}: ${short(lower)} to ${short(upper)}`
  return (
    <div className="row">
      <svg
        role="img"
        aria-label={`Histogram of ${range}`}
        width={counts.length * 4}
        height={HEIGHT}
        viewBox={`0 0 ${counts.length * 4} ${HEIGHT}`}
      >
        {counts.map((one, at) => {
          const height = one === 0 ? 0 : Math.max(1, (one / most) * HEIGHT)
          const key = `${at} of ${counts.length}`
          return <rect key={key} x={at * 4} y={HEIGHT - height} width={3} height={height} fill="currentColor" />
        })}
      </svg>
      <span className="small">{range}</span>
    </div>
  )
}

const short = (value: number) => String(Number(value.toPrecision(3)))
