/** What runs on a robot, or the robots that a data set or a model fits: verdict, map and reasons of each. */
import { useMemo, useState } from 'react'
import { Link } from '../../../app/navigate.tsx'
import { Command } from '../../../ui/command.tsx'
import { LoadMore } from '../../../ui/load-more.tsx'
import { repoParts } from '../../../ui/repo-parts.ts'
import { ErrorNotice, Loading } from '../../../ui/states.tsx'
import { usePages } from '../../../ui/use-pages.ts'
import { RepoLink } from '../repo-table.tsx'
import { type RepoFitsQuery, repoFitsQuery } from './repo-fits.graphql.ts'

type Root = NonNullable<RepoFitsQuery['repo']>
type Fit = Root['fits']['nodes'][number]

const fitsOf = ({ fits }: Root) => fits

const tones: Readonly<Record<Fit['verdict'], string>> = { AS_IS: 'good', MAPPED: 'good', NONE: 'bad' }

function verdictText({ verdict, mapVersion }: Fit): string {
  if (verdict === 'NONE') return 'does not fit'
  if (verdict === 'AS_IS') return 'fits as it is'
  return mapVersion === null ? 'fits with its joints in another order; keep a map' : 'fits with a map of joints'
}

interface Props {
  readonly owner: string
  readonly repo: string
  readonly isRobot: boolean
  /** Whether it is a robot with a card, which says the joints that others are compared with. */
  readonly hasCard: boolean
}

/** A data set or model that fits no robot and comes near none has no panel: most of those name no joints. */
export function FitsPanel({ owner, repo, isRobot, hasCard }: Props) {
  const [near, setNear] = useState(false)
  const variables = useMemo(() => ({ owner, repo, near, after: null }), [owner, repo, near])
  const pages = usePages({ query: repoFitsQuery, variables, field: 'repo', select: fitsOf })
  const hasNear = (pages.kept?.nearest.nodes.length ?? 0) > 0
  if (!isRobot && !hasNear && !near && pages.nodes.length === 0 && !pages.error) return null
  return (
    <section className="panel stack" aria-label={isRobot ? 'What runs on this robot' : 'Robots it fits'}>
      <div className="row spread">
        <h2>{isRobot ? 'What runs on this robot' : 'Robots it fits'}</h2>
        {(hasNear || near) && (
          <label className="row small">
            <input type="checkbox" checked={near} onChange={({ target }) => setNear(target.checked)} /> Same joints, but
            no fit
          </label>
        )}
      </div>
      {pages.error && <ErrorNotice error={pages.error} retry={pages.refresh} />}
      {pages.root === undefined && !pages.error && <Loading />}
      {pages.isEmpty && (
        <p className="dim small">
          <Nothing isRobot={isRobot} hasCard={hasCard} near={near} />
        </p>
      )}
      {pages.nodes.length > 0 && (
        <ul className="lines">
          {pages.nodes.map((fit) => (
            <FitLine key={`${fit.repo} ${fit.robot}`} fit={fit} name={isRobot ? fit.repo : fit.robot} />
          ))}
        </ul>
      )}
      <LoadMore pages={pages} />
    </section>
  )
}

interface NothingProps extends Pick<Props, 'isRobot' | 'hasCard'> {
  readonly near: boolean
}

function Nothing({ isRobot, hasCard, near }: NothingProps) {
  if (isRobot && !hasCard)
    return 'It has no card, which says its joints, so nothing is compared with it. A check of the robot drafts one.'
  if (near) return 'Nothing else that you can see has joints of the same names.'
  return (
    <>
      {isRobot ? 'No data set or model that you can see fits it.' : 'It fits no robot that you can see.'}{' '}
      <code>hub map propose SOURCE ROBOT</code> starts a map.
    </>
  )
}

function FitLine({ fit, name }: { readonly fit: Fit; readonly name: string }) {
  const { verdict, mapVersion, mapReviewedAt, differences } = fit
  const isOpen = mapVersion !== null && mapReviewedAt === null
  const needsMap = mapVersion === null && verdict !== 'AS_IS'
  return (
    <li>
      <RepoLink fullName={name} /> <span className={`badge ${tones[verdict]}`}>{verdictText(fit)}</span>
      {mapVersion !== null && (
        <span className="small dim">
          {' '}
          <Link to="repoMap" params={mapOf(fit)}>
            map version {mapVersion}
          </Link>
          , {mapReviewedAt === null ? 'not reviewed' : 'reviewed'}
        </span>
      )}
      {(differences.length > 0 || isOpen || needsMap) && (
        <details className="small">
          <summary>{reasonsText(differences.length, isOpen)}</summary>
          <ul>
            {differences.map(({ place, blocks, reason }, at) => (
              <li key={`${place} ${at}`} className={blocks ? undefined : 'dim'}>
                <code>{place}</code> {reason}
              </li>
            ))}
          </ul>
          {needsMap && (
            <Command
              text={`hub map propose ${fit.repo} ${fit.robot} --json > map.json`}
              label={`proposal of a map from ${fit.repo} to ${fit.robot}`}
            />
          )}
          {isOpen && (
            <Command text={`hub map review ${fit.repo} ${fit.robot}`} label={`review of the map to ${fit.robot}`} />
          )}
        </details>
      )}
    </li>
  )
}

/** Of the page of its map. */
function mapOf({ repo: full, robot: robotName }: Fit) {
  const { owner, repo } = repoParts(full)
  const { owner: robotOwner, repo: robot } = repoParts(robotName)
  return { owner, repo, robotOwner, robot }
}

const reasonsText = (count: number, isOpen: boolean) =>
  count > 0 ? (count === 1 ? 'One difference' : `${count} differences`) : isOpen ? 'Review the map' : 'Begin a map'
