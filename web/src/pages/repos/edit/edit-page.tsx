/** Edits a text file of a repo, or makes one. */
import { useEffect, useState } from 'react'
import { useClient } from 'urql'
import { useSearchParams } from '../../../app/navigate.tsx'
import { rootField } from '../../../ui/root-field.ts'
import { Empty, ErrorNotice, Loading } from '../../../ui/states.tsx'
import { useReading } from '../../../ui/use-reading.ts'
import { Crumbs } from '../files/crumbs.tsx'
import { RepoFrame, useCanWrite } from '../repo-frame.tsx'
import { fileVersionQuery } from './edit.graphql.ts'
import { type FileVersion, fileVersion } from './file-version.ts'
import { TextEditor } from './text-editor.tsx'
import { readText } from './text-file.ts'

interface Params {
  readonly owner: string
  readonly repo: string
  readonly path: string
}

/** With `?new`, the path is that of the folder that the new file goes to. */
export function Page({ params }: { readonly params: Params }) {
  const { owner, repo } = params
  const path = params.path.replace(/\/+$/, '')
  const [search] = useSearchParams()
  const isNew = search.has('new')
  const [answer, again] = useReading({ query: fileVersionQuery, variables: { owner, repo, path } })
  const { value: head, error } = rootField(answer, 'repo')
  const canWrite = useCanWrite(owner)
  return (
    <RepoFrame params={params} part={isNew ? 'New file' : `Edit ${path}`} head={head} error={error} retry={again}>
      <div className="stack">
        <Crumbs owner={owner} repo={repo} path={path} />
        {canWrite ? (
          <Begin key={`${path} ${isNew}`} owner={owner} repo={repo} path={path} isNew={isNew} />
        ) : (
          <Empty title="This repo is not yours to change">
            <p>Ask its owner for the change, or for a place in their organization.</p>
          </Empty>
        )}
      </div>
    </RepoFrame>
  )
}

interface Begun {
  readonly base: FileVersion
  readonly text: string
}

/** Reads the version that the editor begins with: the number of the version first, so that its text is never older. */
function Begin({ owner, repo, path, isNew }: Params & { readonly isNew: boolean }) {
  const client = useClient()
  const [begun, setBegun] = useState<Begun | null>(null)
  const [fault, setFault] = useState<Error | null>(null)
  const [round, setRound] = useState(0)
  useEffect(() => {
    const leaving = new AbortController()
    setBegun(null)
    setFault(null)
    const read = async () => {
      const base = await fileVersion(client, owner, repo, path)
      const text = base.file === null || isNew ? '' : await readText(owner, repo, path, leaving.signal)
      if (!leaving.signal.aborted) setBegun({ base: isNew ? { ...base, file: null } : base, text })
    }
    read().catch((error: Error) => {
      if (!leaving.signal.aborted) setFault(error)
    })
    return () => leaving.abort()
  }, [client, owner, repo, path, isNew, round])
  const again = () => setRound((before) => before + 1)
  if (fault) return <ErrorNotice error={fault} retry={again} />
  if (!begun) return <Loading />
  return (
    <TextEditor
      key={round}
      owner={owner}
      repo={repo}
      folder={isNew ? path : null}
      path={isNew ? '' : path}
      base={begun.base}
      text={begun.text}
      takeTheirs={again}
    />
  )
}
