/** The README of a repo. */
import { lazy, Suspense } from 'react'
import { Link } from '../../../app/navigate.tsx'
import { Empty, ErrorNotice, Loading } from '../../../ui/states.tsx'
import { useStart } from '../use-start.ts'

const RepoMarkdown = lazy(() => import('../markdown.tsx'))

interface Props {
  readonly owner: string
  readonly repo: string
  /** In bytes; null where there is none. */
  readonly size: number | null
  readonly canWrite: boolean
}

export function Readme({ owner, repo, size, canWrite }: Props) {
  const path = 'README.md'
  const { start, error } = useStart(owner, repo, size === null ? null : path, String(size))
  if (size === null)
    return (
      <Empty title="No README yet">
        <p>
          Say what is in this repo in a <code>README.md</code>, and it is shown here.
        </p>
        {canWrite && <EditReadme owner={owner} repo={repo} title="Write a README" />}
      </Empty>
    )
  if (error) return <ErrorNotice error={error} />
  if (!start) return <Loading />
  return (
    <Suspense fallback={<Loading />}>
      {canWrite && !start.isCut && (
        <div className="readme-edit">
          <EditReadme owner={owner} repo={repo} title="Edit README" />
        </div>
      )}
      <RepoMarkdown owner={owner} repo={repo} path={path} text={start.text} />
      {start.isCut && <p className="dim">The README is longer; its start is shown.</p>}
    </Suspense>
  )
}

function EditReadme({ owner, repo, title }: { readonly owner: string; readonly repo: string; readonly title: string }) {
  return (
    <Link to="repoEdit" params={{ owner, repo, path: 'README.md' }} className="button small">
      {title}
    </Link>
  )
}
