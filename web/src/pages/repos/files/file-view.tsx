/** One file: what it is, and a preview. */
import { withHiddenShown } from '@hub/text/hidden-characters'
import { Command } from '../../../ui/command.tsx'
import { bytes } from '../../../ui/format.ts'
import { Time } from '../../../ui/time.tsx'
import { resolvePath } from '../repo-links.ts'
import { FilePreview } from './file-preview.tsx'
import type { FileRowFragment } from './tree.graphql.ts'

interface Props {
  readonly owner: string
  readonly repo: string
  readonly file: FileRowFragment
}

export function FileView({ owner, repo, file }: Props) {
  const name = withHiddenShown(file.path.slice(file.path.lastIndexOf('/') + 1))
  return (
    <>
      <section className="panel stack" aria-label="About the file">
        <div className="row spread">
          <span className="dim">
            {bytes(file.size)}
            {file.mime && ` · ${file.mime}`} · changed <Time at={file.updatedAt} />
          </span>
          <a className="button primary" href={resolvePath(owner, repo, file.path)} download={name}>
            Download
          </a>
        </div>
        {file.sha256 ? <Command label="SHA-256 of the file" text={file.sha256} /> : 'Its digest is not verified.'}
      </section>
      <section className="panel flush" aria-label="Preview">
        <FilePreview owner={owner} repo={repo} file={file} />
      </section>
    </>
  )
}
