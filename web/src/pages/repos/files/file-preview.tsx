/** A file as a person reads it: at most its first bytes, or by the browser's own players. */
import { lazy, Suspense, useState } from 'react'
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
  pdf: lazy(() => import('./previews/pdf-preview.tsx')),
}
const MOST_ROWS = 200
/** Larger images are downloaded, not shown. */
const MOST_IMAGE_BYTES = 32 * 1024 * 1024

export function FilePreview({ owner, repo, file }: PreviewProps) {
  const kind = previewKind(file.path)
  const source = resolvePath(owner, repo, file.path)
  if (kind === 'image' && file.size > MOST_IMAGE_BYTES)
    return <NoPreview title={`An image of ${bytes(file.size)} is not shown here`} />
  if (kind === 'image' || kind === 'video' || kind === 'audio')
    return <Media key={source} kind={kind} source={source} path={file.path} />
  if (kind === 'none') return <NoPreview title="No preview" />
  if (kind === 'parquet' || kind === 'tensors' || kind === 'archive' || kind === 'pdf') {
    const Preview = byFormat[kind]
    return (
      <Suspense fallback={<Loading />}>
        <Preview owner={owner} repo={repo} file={file} />
      </Suspense>
    )
  }
  return <TextPreview owner={owner} repo={repo} file={file} kind={kind} />
}

function NoPreview({ title }: { readonly title: string }) {
  return (
    <Empty title={title}>
      <p>Download the file to look at it.</p>
    </Empty>
  )
}

interface MediaProps {
  readonly kind: 'image' | 'video' | 'audio'
  readonly source: string
  readonly path: string
}

/** By the browser's own players, which ask for what they play and no more: a recording has no limit. */
function Media({ kind, source, path }: MediaProps) {
  const [isBroken, setBroken] = useState(false)
  if (isBroken) return <NoPreview title={`This browser cannot show the ${kind}`} />
  const common = { className: 'preview-media', src: source, onError: () => setBroken(true) }
  if (kind === 'image') return <img {...common} alt={path} />
  return kind === 'video' ? (
    <video {...common} controls preload="metadata" aria-label={path} />
  ) : (
    <audio {...common} controls preload="metadata" aria-label={path} />
  )
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
          The first {bytes(START_BYTES)} of {bytes(file.size)}. Download the file to see all of it.
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
      {rows.length === MOST_ROWS && (
        <p className="preview dim">The first {MOST_ROWS} rows. Download the file to see all.</p>
      )}
    </>
  )
}
