/** The versions in which one file changed: what changed, the file as it was, and a way back to it. */
import { useMemo } from 'react'
import { Link, useSearchParams } from '../../../app/navigate.tsx'
import { LoadMore } from '../../../ui/load-more.tsx'
import { rootField } from '../../../ui/root-field.ts'
import { Empty, ErrorNotice, Loading } from '../../../ui/states.tsx'
import { itself, usePages } from '../../../ui/use-pages.ts'
import { Crumbs } from '../files/crumbs.tsx'
import { FileTabs } from '../files/file-tabs.tsx'
import { RepoFrame, useCanWrite } from '../repo-frame.tsx'
import { fileHistoryQuery } from './file-history.graphql.ts'
import { FileRevision } from './file-revision.tsx'
import { FileThen } from './file-then.tsx'

interface Params {
  readonly owner: string
  readonly repo: string
  readonly path: string
}

export function Page({ params }: { readonly params: Params }) {
  const { owner, repo, path } = params
  const canWrite = useCanWrite(owner)
  const variables = useMemo(() => ({ owner, repo, path, after: null }), [owner, repo, path])
  const pages = usePages({ query: fileHistoryQuery, variables, field: 'fileHistory', select: itself })
  const { value: head, error } = rootField(pages.first, 'repo')
  const [search] = useSearchParams()
  const at = search.get('at')
  return (
    <>
      <RepoFrame params={params} part={`History of ${path}`} head={head} error={error} retry={pages.refresh}>
        {head && (
          <div className="stack">
            <Crumbs owner={owner} repo={repo} path={path} />
            <FileTabs owner={owner} repo={repo} path={path} />
            {at !== null && <FileThen owner={owner} repo={repo} path={path} at={at} />}
            {pages.error && !error && <ErrorNotice error={pages.error} retry={pages.refresh} />}
            {pages.root === undefined && !pages.error && <Loading />}
            {pages.isEmpty && (
              <Empty title="No version has this file">
                <p>It may have another name now, or its versions are gone: the history of the repo has what is left.</p>
                <Link to="repoHistory" params={{ owner, repo }} className="button">
                  History of the repo
                </Link>
              </Empty>
            )}
            {pages.nodes.length > 0 && (
              <section className="panel" aria-label="Versions of the file">
                {pages.nodes.map((one, index) => (
                  <FileRevision
                    key={one.commitId}
                    owner={owner}
                    repo={repo}
                    path={path}
                    revision={one}
                    isLatest={index === 0}
                    canWrite={canWrite}
                    changed={pages.refresh}
                  />
                ))}
                <LoadMore pages={pages} />
                <p className="dim small">A renamed file has another path: its history begins with the rename.</p>
              </section>
            )}
          </div>
        )}
      </RepoFrame>
      {/* Where the repo could not be read either; what is wrong with the whole request is said above. */}
      {error && pages.error && pages.error !== error && <ErrorNotice error={pages.error} retry={pages.refresh} />}
    </>
  )
}
