/** One file in two versions: its changed lines, its pictures, or the sizes and digests of its bytes. */
import './diff.css'
import { useEffect, useState } from 'react'
import { bytes } from '../../../ui/format.ts'
import { ErrorNotice, Loading } from '../../../ui/states.tsx'
import { previewKind } from '../files/preview-kind.ts'
import { DiffTable } from './diff-table.tsx'
import type { TextDiff } from './text-diff.ts'
import { diffInWorker, MOST_TEXT_BYTES, readText, resolveAt } from './versions-of-file.ts'

/** The bytes of the file in a version. */
interface FileSide {
  /** Names the version. */
  readonly at: string
  readonly size: number
  readonly sha256?: string | null
}

interface Props {
  readonly owner: string
  readonly repo: string
  readonly path: string
  /** Null where the version has no such file. */
  readonly before: FileSide | null
  readonly after: FileSide | null
}

const MOST_IMAGE_BYTES = 32 * 1024 * 1024
/** What no text is in, whatever its bytes. */
const binaryKinds: ReadonlySet<string> = new Set(['image', 'video', 'audio', 'parquet', 'tensors', 'archive', 'pdf'])

export function FileDiff(props: Props) {
  const { owner, repo, path, before, after } = props
  const sides = [before, after].filter((side) => side !== null)
  const kind = previewKind(path)
  if (kind === 'image' && sides.every(({ size }) => size <= MOST_IMAGE_BYTES))
    return (
      <div className="stack">
        <div className="diff-images">
          <Picture owner={owner} repo={repo} path={path} side={before} when="Before" />
          <Picture owner={owner} repo={repo} path={path} side={after} when="After" />
        </div>
        <Facts {...props} />
      </div>
    )
  if (binaryKinds.has(kind)) return <Facts {...props} />
  if (sides.some(({ size }) => size > MOST_TEXT_BYTES))
    return <Facts {...props} why={`Files of more than ${bytes(MOST_TEXT_BYTES)} are not compared here.`} />
  return <Lines {...props} />
}

type Outcome =
  | { readonly kind: 'text'; readonly diff: TextDiff }
  | { readonly kind: 'binary' }
  | { readonly kind: 'far' }
  | { readonly kind: 'failed'; readonly error: Error }

function Lines(props: Props) {
  const { owner, repo, path } = props
  const [outcome, setOutcome] = useState<Outcome | null>(null)
  const [before, after] = [props.before?.at ?? null, props.after?.at ?? null]
  useEffect(() => {
    setOutcome(null)
    const leaving = new AbortController()
    const text = (at: string | null) => (at === null ? '' : readText(resolveAt(owner, repo, path, at), leaving.signal))
    const compare = async (): Promise<Outcome> => {
      const [old, fresh] = await Promise.all([text(before), text(after)])
      if (old === null || fresh === null) return { kind: 'binary' }
      const diff = await diffInWorker({ before: old, after: fresh }, leaving.signal)
      return diff ? { kind: 'text', diff } : { kind: 'far' }
    }
    compare().then(setOutcome, (error: Error) => {
      if (!leaving.signal.aborted) setOutcome({ kind: 'failed', error })
    })
    return () => leaving.abort()
  }, [owner, repo, path, before, after])
  if (outcome === null) return <Loading lines={2} />
  if (outcome.kind === 'failed') return <ErrorNotice error={outcome.error} />
  if (outcome.kind === 'text') return <DiffTable path={path} diff={outcome.diff} />
  return (
    <Facts
      {...props}
      why={outcome.kind === 'far' ? 'The two texts have too little in common to be compared here.' : undefined}
    />
  )
}

function Facts({ owner, repo, path, before, after, why }: Props & { readonly why?: string | undefined }) {
  const name = path.slice(path.lastIndexOf('/') + 1)
  const line = (side: FileSide | null, when: string) => (
    <li className="row">
      <span>{when}</span>
      {side ? (
        <>
          <span>{bytes(side.size)}</span>
          {side.sha256 && <code className="digest">{side.sha256}</code>}
          <a className="button small" href={resolveAt(owner, repo, path, side.at)} download={name}>
            Download
          </a>
        </>
      ) : (
        <span className="dim">not there</span>
      )}
    </li>
  )
  return (
    <div className="stack-small">
      {why && <p className="dim">{why}</p>}
      <ul className="lines">
        {line(before, 'Before')}
        {line(after, 'After')}
      </ul>
    </div>
  )
}

interface PictureProps extends Pick<Props, 'owner' | 'repo' | 'path'> {
  readonly side: FileSide | null
  readonly when: string
}

function Picture({ owner, repo, path, side, when }: PictureProps) {
  return (
    <figure>
      <figcaption className="dim small">{when}</figcaption>
      {side ? (
        <img src={resolveAt(owner, repo, path, side.at)} alt={`${path}, ${when.toLowerCase()}`} />
      ) : (
        <p className="dim">Not there.</p>
      )}
    </figure>
  )
}
