/** A map of joints for its reviewer: both robots in 3D, each joint to move, what differs, and the review. */
import { INFO_PATH, readInfo } from '@hub/dataset/info'
import type { JointMap } from '@hub/embodiment/joint-map'
import { useMutation } from 'urql'
import { Link, useSearchParams } from '../../../app/navigate.tsx'
import { useSession } from '../../../app/session.tsx'
import { isRepoName } from '../../../episodes/episode-address.ts'
import { repoParts } from '../../../ui/repo-parts.ts'
import { rootField } from '../../../ui/root-field.ts'
import { Empty, ErrorNotice } from '../../../ui/states.tsx'
import { useReading } from '../../../ui/use-reading.ts'
import { keptName } from '../../../viewer/kept-map.ts'
import { RepoFrame, useCanWrite } from '../repo-frame.tsx'
import { robotNamesQuery } from '../robot-field.graphql.ts'
import { useStart } from '../use-start.ts'
import { type MapAddress, readMapAddress, writtenMapAddress } from './map-address.ts'
import { bodyOfSourceQuery, type MapPageQuery, mapPageQuery, reviewMapMutation } from './map-page.graphql.ts'
import { MapView } from './map-view.tsx'
import { proposedBodies } from './proposed-bodies.ts'
import { ProposedBodies } from './proposed-bodies-list.tsx'

interface Props {
  readonly params: {
    readonly owner: string
    readonly repo: string
    readonly robotOwner: string
    readonly robot: string
  }
}

type Root = NonNullable<MapPageQuery['repo']>
type Kept = Root['jointMaps']['nodes'][number]

export function Page({ params }: Props) {
  const { owner, repo } = params
  const robot = `${params.robotOwner}/${params.robot}`
  const [answer, refresh] = useReading({ query: mapPageQuery, variables: { owner, repo, robot } })
  const { value: head, error } = rootField(answer, 'repo')
  return (
    <RepoFrame params={{ owner, repo }} part={`Map to ${robot}`} head={head} error={error} retry={refresh}>
      {head && <Review head={head} name={`${owner}/${repo}`} robot={robot} reviewed={refresh} />}
    </RepoFrame>
  )
}

interface ReviewProps {
  readonly head: Root
  readonly name: string
  readonly robot: string
  readonly reviewed: () => void
}

function Review({ head, name, robot, reviewed }: ReviewProps) {
  const kept = head.jointMaps.nodes
  const [query, setQuery] = useSearchParams()
  const { version: asked, body } = readMapAddress(query)
  const shown = kept.find(({ version }) => version === asked) ?? kept[0]
  const keep = (change: Partial<MapAddress>) =>
    setQuery((before) => writtenMapAddress(before, change), { replace: true })
  const { owner: robotOwner, repo: slug } = repoParts(robot)
  if (!shown)
    return (
      <Empty title={`No map leads from ${name} to ${robot}, or you do not see the robot`}>
        <p>
          <code>
            hub map propose {name} {robot} --json
          </code>{' '}
          prints one to start from, <code>hub map put</code> keeps it.
        </p>
      </Empty>
    )
  return (
    <section className="panel stack" aria-label="Map of joints">
      <h2>
        Map of joints to{' '}
        <Link to="repo" params={{ owner: robotOwner, repo: slug }}>
          {robot}
        </Link>
      </h2>
      <label className="row small">
        Version{' '}
        <select value={shown.version} onChange={({ target }) => keep({ version: Number(target.value) })}>
          {kept.map((one) => (
            <option key={one.version} value={one.version}>
              {keptName(one)}
            </option>
          ))}
        </select>
      </label>
      {asked !== null && asked !== shown.version && (
        <p className="small" role="status">
          Version {asked} is not among the {kept.length} newest: version {shown.version} is shown.
        </p>
      )}
      <p className="dim small">{historyText(shown)}</p>
      <MapView
        key={shown.version}
        map={shown.map as JointMap}
        name={name}
        body={head.kind === 'ROBOT' ? name : (body ?? bodyOf(head))}
        show={(body) => keep({ body })}
        robot={robot}
        choices={head.kind === 'ROBOT' ? null : (choose) => <BodyChoices {...{ head, name, robot, choose }} />}
      />
      {shown.isCurrent && <Differences fit={head.compatibleWith} />}
      <ReviewButton shown={shown} name={name} robot={robot} reviewed={reviewed} />
    </section>
  )
}

/** The robot with the joints of the source that a data set or a model names; empty for none. */
function bodyOf(head: Root): string {
  const named = namedRobot(head)
  // A data set may name a type of robot, which is not a repo.
  return isRepoName(named) ? named : ''
}

const namedRobot = ({ kind, datasetMeta, modelMeta }: Root): string =>
  (kind === 'DATASET' ? datasetMeta?.robotType : modelMeta?.robotName) ?? ''

interface ChoicesProps {
  readonly head: Root
  readonly name: string
  readonly robot: string
  readonly choose: (robot: string) => void
}

/** What speaks for which robot; none is taken but the one that the repo itself names. */
function BodyChoices({ head, name, robot, choose }: ChoicesProps) {
  const { owner, repo } = repoParts(name)
  const text = namedRobot(head)
  const isRepo = isRepoName(text)
  const [known, again] = useReading({ query: bodyOfSourceQuery, variables: { owner, repo } })
  const [alike] = useReading({
    ...{ query: robotNamesQuery, variables: { q: text, owner: null, after: null } },
    pause: isRepo || text === '',
  })
  const { value, error } = rootField(known, 'repo')
  // A file that cannot be read now proposes nothing; other reasons still do.
  const isDescribed = value?.info.nodes[0]?.path === INFO_PATH
  const { start, error: unread } = useStart(owner, repo, isDescribed ? INFO_PATH : null)
  if (!value && error) return <ErrorNotice error={error} retry={again} />
  if (!value || (isDescribed && start === null && unread === null)) return null
  const info = start && readInfo(start.text)
  const source = {
    ...({ named: text === '' ? null : { text, isRepo }, kind: head.kind === 'MODEL' ? 'MODEL' : 'DATASET' } as const),
    ...{ fits: value.fits.nodes, runs: value.runs.nodes, checks: value.checks.nodes, maps: value.jointMaps.nodes },
    declared: info && 'robot' in info ? info.robot : null,
    alike: (rootField(alike, 'repos').value?.nodes ?? []).map(({ fullName }) => fullName),
  }
  return <ProposedBodies bodies={proposedBodies(source, robot)} choose={choose} />
}

function historyText({ createdAt, creator, reviewedAt, reviewer }: Kept): string {
  const by = (person: { readonly handle: string } | null) => (person ? ` by ${person.handle}` : '')
  const review = reviewedAt === null ? 'No one has reviewed it.' : `Reviewed ${reviewedAt.slice(0, 10)}${by(reviewer)}.`
  return `Kept ${createdAt.slice(0, 10)}${by(creator)}. ${review}`
}

/** Those of the current version; a body that is not known has none. */
function Differences({ fit }: { readonly fit: Root['compatibleWith'] }) {
  if (!fit) return <p className="small dim">Of one of the two no joints are known, so what differs is not known.</p>
  return (
    <div>
      <h3>{fit.verdict === 'NONE' ? 'It does not fit' : 'It fits'}: what differs</h3>
      {fit.differences.length === 0 && <p className="small dim">Nothing.</p>}
      <ul className="small">
        {fit.differences.map(({ place, blocks, reason }, at) => (
          <li key={`${place} ${at}`} className={blocks ? undefined : 'dim'}>
            <code>{place}</code> {reason}
          </li>
        ))}
      </ul>
    </div>
  )
}

interface ButtonProps extends Omit<ReviewProps, 'head'> {
  readonly shown: Kept
}

function ReviewButton({ shown, name, robot, reviewed }: ButtonProps) {
  const { owner, repo } = repoParts(name)
  const canWrite = useCanWrite(owner)
  const isSignedIn = useSession().viewer !== null
  const [{ error, fetching }, review] = useMutation(reviewMapMutation)
  if (shown.reviewedAt !== null) return <p className="badge good">Reviewed</p>
  if (!shown.isCurrent) return <p className="small dim">Only the newest version can be reviewed.</p>
  if (!canWrite)
    return (
      <p className="small dim">
        {isSignedIn
          ? `Someone who can write ${name} can review it.`
          : 'Sign in as someone who can write the repo to review it.'}
      </p>
    )
  const submit = async () => {
    const answer = await review({ input: { owner, repo, robot, version: shown.version } })
    if (!answer.error) reviewed()
  }
  return (
    <div className="stack-small">
      {error && <ErrorNotice error={error} retry={reviewed} />}
      <p className="small">
        Each joint turns the way that it should, in its unit and from its zero? Then replays, rollouts, checks and
        endpoints use this version.
      </p>
      <div className="row">
        <button type="button" className="button primary" disabled={fetching} onClick={submit}>
          Review version {shown.version}
        </button>
      </div>
    </div>
  )
}
