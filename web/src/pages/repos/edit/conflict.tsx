/** Another person saved the file first: their text, and the ways out. */
import { type MouseEvent, useEffect, useState } from 'react'
import { Loading } from '../../../ui/states.tsx'
import { Time } from '../../../ui/time.tsx'
import type { FileVersion } from './file-version.ts'
import { readText } from './text-file.ts'

interface Props {
  readonly owner: string
  readonly repo: string
  readonly path: string
  /** The current version. */
  readonly theirs: FileVersion
  /** Whether the person meant to make the file. */
  readonly isNew: boolean
  readonly takeTheirs: () => void
  /** Saves the own text all the same. */
  readonly overwrite: (form: HTMLFormElement) => void
}

export function Conflict({ owner, repo, path, theirs, isNew, takeTheirs, overwrite }: Props) {
  const { file } = theirs
  const save = ({ currentTarget }: MouseEvent<HTMLButtonElement>) => {
    if (currentTarget.form) overwrite(currentTarget.form)
  }
  return (
    <div className="notice stack" role="alert">
      <h2>{isNew ? 'There is a file of this name' : 'This file was changed while you edited it'}</h2>
      <p>
        {file === null ? (
          'It was deleted or renamed.'
        ) : (
          <>
            {path} was saved <Time at={file.updatedAt} />.
          </>
        )}{' '}
        Your text is not saved yet, and still here.
      </p>
      {file !== null && <Theirs owner={owner} repo={repo} path={path} mark={file.sha256 ?? file.updatedAt} />}
      <div className="row">
        <button type="button" className="button danger" onClick={save}>
          {file === null ? 'Save it again' : 'Save mine over it'}
        </button>
        {!isNew && file !== null && (
          <button type="button" className="button" onClick={takeTheirs}>
            Drop mine and begin with theirs
          </button>
        )}
      </div>
      <p className="dim small">Each version stays in the history.</p>
    </div>
  )
}

interface TheirsProps {
  readonly owner: string
  readonly repo: string
  readonly path: string
  /** Another one is another text. */
  readonly mark: string
}

function Theirs({ owner, repo, path, mark }: TheirsProps) {
  const [text, setText] = useState<string | null>(null)
  useEffect(() => {
    const leaving = new AbortController()
    readText(owner, repo, path, leaving.signal).then(setText, (error: Error) => {
      if (!leaving.signal.aborted) setText(error.message)
    })
    return () => leaving.abort()
  }, [owner, repo, path, mark])
  return (
    <details>
      <summary>The text that is saved now</summary>
      {text === null ? (
        <Loading lines={2} />
      ) : (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, by keyboard too
        <pre className="edit-theirs" tabIndex={0}>
          {text}
        </pre>
      )}
    </details>
  )
}
