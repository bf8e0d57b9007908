/** One file: what it is, and a preview. */
import { withHiddenShown } from '@hub/text/hidden-characters'
import { lazy, Suspense } from 'react'
import { Link } from '../../../app/navigate.tsx'
import { Command } from '../../../ui/command.tsx'
import { bytes } from '../../../ui/format.ts'
import { Time } from '../../../ui/time.tsx'
import { isEdited } from '../edit/text-file.ts'
import { resolvePath } from '../repo-links.ts'
import { FilePreview } from './file-preview.tsx'
import { FileTabs } from './file-tabs.tsx'
import { isModelName } from './preview-kind.ts'
import type { FileRowFragment } from './tree.graphql.ts'

const FileActions = lazy(() => import('../edit/file-actions.tsx'))

interface Props {
  readonly owner: string
  readonly repo: string
  readonly file: FileRowFragment
  readonly canWrite: boolean
  /** Whether the repo is a robot. */
  readonly isRobot: boolean
}

export function FileView({ owner, repo, file, canWrite, isRobot }: Props) {
  const name = withHiddenShown(file.path.slice(file.path.lastIndexOf('/') + 1))
  return (
    <>
      <FileTabs owner={owner} repo={repo} path={file.path} />
      <section className="panel stack" aria-label="About the file">
        <div className="row spread">
          <span className="dim">
            {bytes(file.size)}
            {file.mime && ` · ${file.mime}`} · changed <Time at={file.updatedAt} />
          </span>
          <span className="row">
            {isRobot && isModelName(file.path) && (
              <Link to="repoRobot" params={{ owner, repo }} className="button">
                Robot in 3D
              </Link>
            )}
            {canWrite && isEdited(file) && (
              <Link to="repoEdit" params={{ owner, repo, path: file.path }} className="button">
                Edit
              </Link>
            )}
            {canWrite && (
              <Suspense fallback={null}>
                <FileActions owner={owner} repo={repo} path={file.path} isFolder={false} />
              </Suspense>
            )}
            <a className="button primary" href={resolvePath(owner, repo, file.path)} download={name}>
              Download
            </a>
          </span>
        </div>
        {file.sha256 ? <Command label="SHA-256 of the file" text={file.sha256} /> : 'Its digest is not verified.'}
      </section>
      <section className="panel flush" aria-label="Preview">
        <FilePreview owner={owner} repo={repo} file={file} />
      </section>
    </>
  )
}
