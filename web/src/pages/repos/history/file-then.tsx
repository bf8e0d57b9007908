/** A file as it was in an older version. */
import { lazy, Suspense, useEffect, useState } from 'react'
import { Link } from '../../../app/navigate.tsx'
import { bytes } from '../../../ui/format.ts'
import { ErrorNotice, Loading } from '../../../ui/states.tsx'
import { codeLanguage, previewKind } from '../files/preview-kind.ts'
import { MOST_TEXT_BYTES, readText, resolveAt } from './versions-of-file.ts'

const Code = lazy(() => import('../files/previews/code.tsx'))

interface Props {
  readonly owner: string
  readonly repo: string
  readonly path: string
  /** Names the version. */
  readonly at: string
}

export function FileThen({ owner, repo, path, at }: Props) {
  const source = resolveAt(owner, repo, path, at)
  const short = /^[0-9a-f]{40}$/.test(at) ? at.slice(0, 7) : at
  return (
    <section className="panel stack" aria-label="The file as it was">
      <div className="row spread">
        <h2>As it was in {short}</h2>
        <span className="row">
          <a className="button primary" href={source} download={path.slice(path.lastIndexOf('/') + 1)}>
            Download
          </a>
          <Link to="repoFileHistory" params={{ owner, repo, path }} className="button">
            Close
          </Link>
        </span>
      </div>
      {previewKind(path) === 'image' ? (
        <img className="preview-media" src={source} alt={`${path} as it was in ${short}`} />
      ) : (
        <TextThen source={source} path={path} />
      )}
    </section>
  )
}

function TextThen({ source, path }: { readonly source: string; readonly path: string }) {
  const [text, setText] = useState<string | null | undefined>(undefined)
  const [error, setError] = useState<Error | null>(null)
  useEffect(() => {
    setText(undefined)
    setError(null)
    const leaving = new AbortController()
    readText(source, leaving.signal).then(setText, (reason: Error) => {
      if (!leaving.signal.aborted) setError(reason)
    })
    return () => leaving.abort()
  }, [source])
  if (error) return <ErrorNotice error={error} />
  if (text === undefined) return <Loading lines={2} />
  if (text === null)
    return (
      <p className="dim">This is not text, or more than {bytes(MOST_TEXT_BYTES)} of it. Download it to look at it.</p>
    )
  return (
    <Suspense fallback={<Loading lines={2} />}>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, by keyboard too */}
      <pre className="preview" tabIndex={0}>
        <Code text={text} language={codeLanguage(path)} />
      </pre>
    </Suspense>
  )
}
