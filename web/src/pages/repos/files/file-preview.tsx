/** A file as a person reads it: at most its first bytes, or by the browser's own players. */
import { lazy, Suspense } from 'react'
import { bytes } from '../../../ui/format.ts'
import { Empty, ErrorNotice, Loading } from '../../../ui/states.tsx'
import { START_BYTES } from '../read-start.ts'
import { resolvePath } from '../repo-links.ts'
import { useStart } from '../use-start.ts'
import { codeLanguage, type PreviewKind, prettyJson, previewKind, tableRows } from './preview-kind.ts'
import type { PreviewProps } from './previews/repo-file.ts'
import { RowTable } from './previews/row-table.tsx'

const RepoMarkdown = lazy(() => import('../markdown.tsx'))
const Code = lazy(() => import('./previews/code.tsx'))
/** Each with what reads its format, in a chunk of its own. */
const byFormat = {
  parquet: lazy(() => import('./previews/parquet-preview.tsx')),
  tensors: lazy(() => import('./previews/tensors-preview.tsx')),
  archive: lazy(() => import('./previews/archive-preview.tsx')),
}
const MOST_ROWS = 200
/** Larger images are downloaded, not shown. */
const MOST_IMAGE_BYTES = 32 * 1024 * 1024

export function FilePreview({ owner, repo, file }: PreviewProps) {
  const kind = previewKind(file.path)
  const source = resolvePath(owner, repo, file.path)
  if (kind === 'image' && file.size <= MOST_IMAGE_BYTES)
    return <img className="preview-media" src={source} alt={file.path} />
  if (kind === 'video')
    // biome-ignore lint/a11y/useMediaCaption: recordings of robots have no captions
    return <video className="preview-media" src={source} controls preload="metadata" aria-label={file.path} />
  if (kind === 'audio')
    // biome-ignore lint/a11y/useMediaCaption: a recording of a robot has no words
    return <audio className="preview-media" src={source} controls preload="metadata" aria-label={file.path} />
  if (kind === 'none' || kind === 'image')
    return (
      <Empty title="No preview">
        <p>Download the file to look at it.</p>
      </Empty>
    )
  if (kind === 'parquet' || kind === 'tensors' || kind === 'archive') {
    const Preview = byFormat[kind]
    return (
      <Suspense fallback={<Loading />}>
        <Preview owner={owner} repo={repo} file={file} />
      </Suspense>
    )
  }
  return <TextPreview owner={owner} repo={repo} file={file} kind={kind} />
}

function TextPreview({ owner, repo, file, kind }: PreviewProps & { readonly kind: PreviewKind }) {
  const { start, error } = useStart(owner, repo, file.path, file.sha256 ?? '')
  if (error)
    return (
      <div className="preview">
        <ErrorNotice error={error} />
      </div>
    )
  if (!start)
    return (
      <div className="preview">
        <Loading />
      </div>
    )
  return (
    <>
      <Suspense fallback={<Loading />}>
        {kind === 'markdown' ? (
          <div className="preview">
            <RepoMarkdown owner={owner} repo={repo} path={file.path} text={start.text} />
          </div>
        ) : kind === 'table' ? (
          <Rows text={start.text} delimiter={file.path.endsWith('.tsv') ? '\t' : ','} />
        ) : (
          // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, by keyboard too
          <pre className="preview" tabIndex={0}>
            <Code
              text={kind === 'json' && !start.isCut ? prettyJson(start.text) : start.text}
              language={codeLanguage(file.path)}
            />
          </pre>
        )}
      </Suspense>
      {start.isCut && (
        <p className="preview dim">
          The first {bytes(START_BYTES)} of {bytes(file.size)}.
        </p>
      )}
    </>
  )
}

function Rows({ text, delimiter }: { readonly text: string; readonly delimiter: string }) {
  const [head = [], ...rows] = tableRows(text, delimiter, MOST_ROWS + 1)
  return (
    <>
      <RowTable label="Rows of the table" head={head} rows={rows} />
      {rows.length === MOST_ROWS && <p className="preview dim">The first {MOST_ROWS} rows.</p>}
    </>
  )
}
