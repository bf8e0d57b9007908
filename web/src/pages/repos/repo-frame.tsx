/** What all pages of a repo have in common: what it is, its tabs, and the answer where it is not there. */
import { tagsTogether } from '@hub/formats/repo-tags'
import type { ReactNode } from 'react'
import type { CombinedError } from 'urql'
import { Link } from '../../app/navigate.tsx'
import { accountsOf, useSession } from '../../app/session.tsx'
import { words } from '../../ui/format.ts'
import { PageHeader } from '../../ui/page-header.tsx'
import { Empty, ErrorNotice, Loading } from '../../ui/states.tsx'
import { type Tab, Tabs } from '../../ui/tabs.tsx'
import { Time } from '../../ui/time.tsx'
import { CheckRobot } from '../checks/check-robot.tsx'
import { NewRunLink } from '../runs/submit/new-run-link.tsx'
import type { RepoHeadFragment } from './overview/repo.graphql.ts'
import './repo.css'

interface RepoParams {
  readonly owner: string
  readonly repo: string
}

interface Props {
  readonly params: RepoParams
  /** The part of the page, for the title of the document. */
  readonly part?: string
  /** Undefined until the first answer, null where the caller sees no such repo. */
  readonly head: RepoHeadFragment | null | undefined
  readonly error: CombinedError | undefined
  readonly retry: () => void
  readonly children: ReactNode
}

/** Whether the person may change the repo: their own, or of an org of theirs, with more than the right to read. */
export function useCanWrite(owner: string): boolean {
  const { viewer } = useSession()
  return viewer !== null && viewer.scope !== 'READ' && accountsOf(viewer).includes(owner)
}

/** Whether the person is of the account that owns the repo. */
export function useIsMember(owner: string): boolean {
  return accountsOf(useSession().viewer).includes(owner)
}

export function RepoFrame({ params, part, head, error, retry, children }: Props) {
  const { owner, repo } = params
  const name = `${owner}/${repo}`
  const canWrite = useCanWrite(owner)
  const isSignedIn = useSession().viewer !== null
  const heading = (
    <>
      <Link to="account" params={{ handle: owner }}>
        {owner}
      </Link>
      <span className="dim"> / </span>
      <Link to="repo" params={{ owner, repo }}>
        {repo}
      </Link>
    </>
  )
  return (
    <>
      <PageHeader
        title={part ? `${part} · ${name}` : name}
        heading={heading}
        about={head ? <About head={head} /> : undefined}
      >
        {head && isSignedIn && head.kind === 'DATASET' && <NewRunLink query={{ dataset: name }} />}
        {head && isSignedIn && head.kind === 'ROBOT' && <NewRunLink query={{ robot: name }} />}
        {head && isSignedIn && head.kind === 'MODEL' && (
          <Link to="endpoints" params={{}} query={{ model: name }} className="button primary">
            Serve
          </Link>
        )}
        {head && canWrite && head.kind === 'ROBOT' && <CheckRobot owner={owner} repo={repo} />}
      </PageHeader>
      {head && <Tabs label={`Parts of ${name}`} tabs={tabsOf(params, head.kind, canWrite)} />}
      {error && <ErrorNotice error={error} retry={retry} />}
      {head === undefined && !error && <Loading />}
      {head === null && (
        <Empty title="There is no such repo, or you do not see it">
          <p>
            Only its owner and their organization see a private repo.{' '}
            {isSignedIn ? 'Ask them for a place in it.' : 'Sign in with an account that can see it.'}
          </p>
          <Link to="repos" params={{}} className="button">
            All repos
          </Link>
        </Empty>
      )}
      {head && children}
    </>
  )
}

/** Those that the owner set, and those of the card. */
export const tagsOf = ({ tags, cardTags }: Pick<RepoHeadFragment, 'tags' | 'cardTags'>): string[] =>
  tagsTogether(tags, cardTags)

function About({ head }: { readonly head: RepoHeadFragment }) {
  return (
    <div className="stack-small">
      {head.description && <p className="repo-description">{head.description}</p>}
      <div className="row small">
        <span className="badge busy">{words(head.kind)}</span>
        <span className={head.visibility === 'PRIVATE' ? 'badge warn' : 'badge'}>{words(head.visibility)}</span>
        {tagsOf(head).map((tag) => (
          <Link key={tag} to="repos" params={{}} query={{ tag: tag.toLowerCase() }} className="badge">
            {tag}
          </Link>
        ))}
        <span>
          updated <Time at={head.updatedAt} />
        </span>
      </div>
    </div>
  )
}

function tabsOf({ owner, repo }: RepoParams, kind: RepoHeadFragment['kind'], canWrite: boolean): Tab[] {
  const params = { owner, repo }
  const tabs: Tab[] = [
    { to: 'repo', params, title: 'Overview' },
    { to: 'repoFiles', params: { ...params, path: '' }, title: 'Files', holds: ['repoEdit', 'repoFileHistory'] },
  ]
  if (kind === 'ROBOT') tabs.push({ to: 'repoRobot', params, title: 'Robot in 3D' })
  if (kind === 'DATASET') tabs.push({ to: 'repoEpisodes', params, title: 'Episodes' })
  if (kind !== 'DATASET') tabs.push({ to: 'repoRollouts', params, title: kind === 'ROBOT' ? 'Boards' : 'Rollouts' })
  tabs.push(
    { to: 'repoRuns', params, title: 'Runs' },
    { to: 'repoHistory', params, title: 'History', holds: ['repoCompare'] },
  )
  if (canWrite) tabs.push({ to: 'repoSettings', params, title: 'Settings' })
  return tabs
}
