/** One version of a file: who made it and why, what changed, and a way back to it. */
import { useState } from 'react'
import { Link } from '../../../app/navigate.tsx'
import { bytes, words } from '../../../ui/format.ts'
import { Time } from '../../../ui/time.tsx'
import { FileDiff } from './file-diff.tsx'
import type { FileHistoryQuery } from './file-history.graphql.ts'
import { RestoreFile } from './restore-file.tsx'

interface Props {
  readonly owner: string
  readonly repo: string
  readonly path: string
  readonly revision: NonNullable<FileHistoryQuery['fileHistory']>['nodes'][number]
  readonly isLatest: boolean
  readonly canWrite: boolean
  readonly changed: () => void
}

const tones = { ADDED: 'badge good', CHANGED: 'badge warn', REMOVED: 'badge bad' } as const

export function FileRevision({ owner, repo, path, revision, isLatest, canWrite, changed }: Props) {
  const [isOpen, setOpen] = useState(false)
  const { commitId, message, time, author, snapshots, change, previousCommitId, before, after } = revision
  const short = commitId.slice(0, 7)
  return (
    <article className="diff-file stack-small" aria-label={`Version ${short}`}>
      <div className="row spread">
        <span className="row">
          <span className={tones[change]}>{words(change)}</span>
          <code title={commitId}>{short}</code>
          {snapshots.map((name) => (
            <span key={name} className="badge good">
              {name}
            </span>
          ))}
          <span className="dim small">
            {author && `by ${author.handle}, `}
            <Time at={time} />
            {after && `, ${bytes(after.size)}`}
          </span>
        </span>
        <span className="row">
          <button type="button" className="button small" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
            Changes
          </button>
          {after && (
            <Link
              to="repoFileHistory"
              params={{ owner, repo, path }}
              query={{ at: commitId }}
              className="button small"
              title={`The file as it was in ${short}`}
            >
              View
            </Link>
          )}
          {canWrite && after && !isLatest && (
            <RestoreFile owner={owner} repo={repo} path={path} commitId={commitId} restored={changed} />
          )}
        </span>
      </div>
      {message !== null && <p className="change-message">{message}</p>}
      {isOpen && (
        <FileDiff
          owner={owner}
          repo={repo}
          path={path}
          before={before && previousCommitId ? { ...before, at: previousCommitId } : null}
          after={after && { ...after, at: commitId }}
        />
      )}
    </article>
  )
}
