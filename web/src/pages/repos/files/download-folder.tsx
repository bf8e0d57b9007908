/** Downloads a folder as one archive, once the person knows how large it is. A chunk of its own. */
import type { Client } from '@urql/core'
import { useEffect, useState } from 'react'
import { readings } from '../../../app/client.ts'
import { Dialog } from '../../../ui/dialog.tsx'
import { bytes, counted } from '../../../ui/format.ts'
import { messageOf } from '../../../ui/problem.ts'
import { rootField } from '../../../ui/root-field.ts'
import { ErrorNotice, Loading } from '../../../ui/states.tsx'
import { archivePath } from '../repo-links.ts'
import { type FolderSizeQuery, folderSizeQuery, folderVersionQuery } from './download.graphql.ts'

interface Place {
  readonly owner: string
  readonly repo: string
  /** '' for the root. */
  readonly path: string
}

type Size = NonNullable<NonNullable<NonNullable<FolderSizeQuery['repo']>['at']>['folder']>

interface Found extends Size {
  readonly commitId: string
}

const GONE = 'The folder is not there any more, or you do not see it. Load the page again.'

/** Of the current version, whose archive is downloaded whatever changes meanwhile. Rejects in words for a person. */
async function sizeOf(client: Client, { owner, repo, path }: Place): Promise<Found> {
  const options = { requestPolicy: 'network-only' } as const
  const version = rootField(await client.query(folderVersionQuery, { owner, repo }, options).toPromise(), 'repo')
  if (version.error) throw new Error(messageOf(version.error))
  const commitId = version.value?.commitId
  if (!commitId) throw new Error(GONE)
  const answer = rootField(
    await client.query(folderSizeQuery, { owner, repo, path, commitId }, options).toPromise(),
    'repo',
  )
  if (answer.error) throw new Error(messageOf(answer.error))
  const folder = answer.value?.at?.folder
  if (!folder || folder.fileCount === 0) throw new Error(GONE)
  return { ...folder, commitId }
}

export default function DownloadFolder(place: Place) {
  const { owner, repo, path } = place
  const [isOpen, setOpen] = useState(false)
  const [found, setFound] = useState<Found | null>(null)
  const [fault, setFault] = useState<Error | null>(null)
  useEffect(() => {
    setFound(null)
    setFault(null)
    if (!isOpen) return
    // The answer for a folder that the page has left, or for an older version, must not stand here.
    let isLeft = false
    sizeOf(readings, { owner, repo, path }).then(
      (size) => {
        if (!isLeft) setFound(size)
      },
      (error: Error) => {
        if (!isLeft) setFault(error)
      },
    )
    return () => {
      isLeft = true
    }
  }, [isOpen, owner, repo, path])
  const close = () => setOpen(false)
  return (
    <>
      <button type="button" className="button" onClick={() => setOpen(true)}>
        Download folder
      </button>
      <Dialog title={`Download ${path === '' ? repo : path}`} isOpen={isOpen} close={close}>
        {fault && <ErrorNotice error={fault} />}
        {!found && !fault && <Loading lines={1} />}
        {found &&
          (found.archiveFault === null ? (
            <p>
              {counted(found.fileCount, 'file')}, {bytes(found.totalBytes)}, as one ZIP of version{' '}
              <code>{found.commitId.slice(0, 7)}</code>.
            </p>
          ) : (
            <p>{found.archiveFault}</p>
          ))}
        <div className="dialog-actions">
          <button type="button" className="button" onClick={close}>
            Cancel
          </button>
          {found?.archiveFault === null && (
            <a
              className="button primary"
              href={archivePath(owner, repo, path, found.commitId)}
              onClick={close}
              download
            >
              Download
            </a>
          )}
        </div>
      </Dialog>
    </>
  )
}
