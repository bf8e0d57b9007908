/** The README of a repo. */
import { lazy, Suspense } from 'react'
import { Empty, ErrorNotice, Loading } from '../../../ui/states.tsx'
import { useStart } from '../use-start.ts'

const RepoMarkdown = lazy(() => import('../markdown.tsx'))

interface Props {
  readonly owner: string
  readonly repo: string
  /** In bytes; null where there is none. */
  readonly size: number | null
}

export function Readme({ owner, repo, size }: Props) {
  const path = 'README.md'
  const { start, error } = useStart(owner, repo, size === null ? null : path, String(size))
  if (size === null)
    return (
      <Empty title="No README yet">
        <p>
          Push a <code>README.md</code> that says what is in this repo, and it is shown here.
        </p>
      </Empty>
    )
  if (error) return <ErrorNotice error={error} />
  if (!start) return <Loading />
  return (
    <Suspense fallback={<Loading />}>
      <RepoMarkdown owner={owner} repo={repo} path={path} text={start.text} />
      {start.isCut && <p className="dim">The README is longer; its start is shown.</p>}
    </Suspense>
  )
}
