/** A folder of a repo, or one of its files; live. */
import { pagePath } from '@hub/formats/page-paths'
import { lazy, Suspense, useEffect, useMemo } from 'react'
import { useSubscription } from 'urql'
import { useLocation } from 'wouter'
import { Link } from '../../../app/navigate.tsx'
import { usePages } from '../../../ui/use-pages.ts'
import { useWhenBehind } from '../../../ui/use-when-behind.ts'
import { RepoFrame, useCanWrite } from '../repo-frame.tsx'
import { Crumbs } from './crumbs.tsx'
import { FileView } from './file-view.tsx'
import { FolderView } from './folder-view.tsx'
import { type RepoTreeQuery, repoTreeChangedSubscription, repoTreeQuery } from './tree.graphql.ts'

const FileActions = lazy(() => import('../edit/file-actions.tsx'))
const DownloadFolder = lazy(() => import('./download-folder.tsx'))
const UploadPanel = lazy(() => import('../upload/upload-panel.tsx'))

interface Params {
  readonly owner: string
  readonly repo: string
  readonly path: string
}

type Head = NonNullable<RepoTreeQuery['repo']>

const filesOf = ({ files }: Head) => files

export function Page({ params }: { readonly params: Params }) {
  const { owner, repo } = params
  const path = params.path.replace(/\/+$/, '')
  const variables = useMemo(
    () => ({ owner, repo, path, folder: path === '' ? null : `${path}/`, after: null }),
    [owner, repo, path],
  )
  const pages = usePages({ query: repoTreeQuery, variables, field: 'repo', select: filesOf })
  const { root: head } = pages
  useChanges(head, pages.refresh)
  const canWrite = useCanWrite(owner)
  const exact = head?.exact.nodes.find((file) => file.path === path)
  useWithoutBranch(params, path, Boolean(head) && !exact && pages.isEmpty)
  return (
    <RepoFrame
      params={params}
      part={path === '' ? 'Files' : path}
      head={head}
      error={pages.error}
      retry={pages.refresh}
    >
      <div className="stack">
        <div className="row spread">
          <Crumbs owner={owner} repo={repo} path={path} />
          {head && !exact && (
            <span className="row">
              {!pages.isEmpty && (
                <Suspense fallback={null}>
                  <DownloadFolder owner={owner} repo={repo} path={path} />
                </Suspense>
              )}
              {canWrite && <FolderActions owner={owner} repo={repo} folder={path} />}
            </span>
          )}
        </div>
        {exact ? (
          <FileView owner={owner} repo={repo} file={exact} canWrite={canWrite} isRobot={head?.kind === 'ROBOT'} />
        ) : (
          <>
            {canWrite && (
              <Suspense fallback={null}>
                <UploadPanel
                  key={path}
                  owner={owner}
                  repo={repo}
                  folder={path}
                  isEmpty={path === '' && pages.isEmpty}
                  saved={pages.refresh}
                />
              </Suspense>
            )}
            <FolderView owner={owner} repo={repo} folder={path} pages={pages} canWrite={canWrite} />
          </>
        )}
      </div>
    </RepoFrame>
  )
}

interface FolderProps {
  readonly owner: string
  readonly repo: string
  readonly folder: string
}

function FolderActions({ owner, repo, folder }: FolderProps) {
  return (
    <>
      <Link to="repoEdit" params={{ owner, repo, path: folder }} query={{ new: '1' }} className="button">
        New file
      </Link>
      {folder !== '' && (
        <Suspense fallback={null}>
          <FileActions owner={owner} repo={repo} path={folder} isFolder />
        </Suspense>
      )}
    </>
  )
}

/**
 * `tree/main/folder`, as Hugging Face's clients print it, is the folder: where nothing is at a path that begins with
 * the name of the one branch, the rest of it is shown.
 */
function useWithoutBranch({ owner, repo }: Params, path: string, isNothing: boolean): void {
  const [, go] = useLocation()
  const rest = /^(?:main|HEAD)(?:$|\/(.*))/.exec(path)
  const there = isNothing && rest ? pagePath('repoFiles', { owner, repo, path: rest[1] ?? '' }) : null
  useEffect(() => {
    if (there !== null) go(there, { replace: true })
  }, [there, go])
}

/** Reads the folder again after each change; the first event is of the state that the page has, unless it changed. */
function useChanges(head: Pick<Head, 'id' | 'commitId'> | null | undefined, refresh: () => void): void {
  const [{ data }] = useSubscription({
    query: repoTreeChangedSubscription,
    variables: { repoId: head?.id ?? '' },
    pause: !head,
  })
  useWhenBehind(head?.commitId, data?.repoFilesUpdated?.commitId, refresh)
}
