/** How far an upload is, as a whole and by file, and what to do where it has not succeeded. */
import { withHiddenShown } from '@hub/text/hidden-characters'
import { bytes, count, counted } from '../../../ui/format.ts'
import { type FileState, isActive, mostTelling, percentOf, sumsOf, type UploadState } from './upload-state.ts'

interface Props {
  readonly state: UploadState
  readonly stop: () => void
  readonly again: () => void
  readonly saveRest: () => void
  /** Puts it away. */
  readonly end: () => void
}

/** Files shown by name. */
const MOST_SHOWN = 50

export function UploadProgress({ state, stop, again, saveRest, end }: Props) {
  const sums = sumsOf(state)
  const percent = state.phase === 'done' ? 100 : percentOf(sums.done, sums.bytes)
  return (
    <section className="panel stack upload" aria-label="Upload">
      <h2>{headline(state)}</h2>
      {isActive(state) && (
        <>
          <progress value={percent} max={100} aria-label="Whole upload" />
          <p className="dim" role="status">
            {bytes(sums.done)} of {bytes(sums.bytes)} ({percent}%)
            {state.phase !== 'reading' && `, ${count(sums.sent)} of ${counted(sums.files, 'file')}`}
          </p>
        </>
      )}
      {state.phase === 'incomplete' && (
        <div className="notice" role="alert">
          <p>
            {counted(sums.failed, 'file')} could not be sent. Nothing is saved yet: try again, or save the others
            without
            {sums.failed === 1 ? ' it' : ' them'}.
          </p>
        </div>
      )}
      {state.phase === 'refused' && (
        <div className="notice" role="alert">
          <p>{state.told}</p>
        </div>
      )}
      {state.phase !== 'done' && (
        <ul className="upload-files">
          {mostTelling(state.files, MOST_SHOWN).map((file) => (
            <FileLine key={file.path} file={file} />
          ))}
          {sums.files > MOST_SHOWN && <li className="dim">and {count(sums.files - MOST_SHOWN)} more</li>}
        </ul>
      )}
      <div className="row">
        {(state.phase === 'incomplete' || state.phase === 'refused') && (
          <button type="button" className="button primary" onClick={again}>
            Try again
          </button>
        )}
        {state.phase === 'incomplete' && sums.sent > 0 && (
          <button type="button" className="button" onClick={saveRest}>
            Save the other {count(sums.sent)}
          </button>
        )}
        {isActive(state) ? (
          <button type="button" className="button danger" onClick={stop}>
            Cancel upload
          </button>
        ) : (
          <button type="button" className="button" onClick={end}>
            Close
          </button>
        )}
      </div>
    </section>
  )
}

function headline(state: UploadState): string {
  const files = counted(state.files.length, 'file')
  switch (state.phase) {
    case 'reading':
      return `Reading ${files}`
    case 'sending':
      return `Sending ${files}`
    case 'saving':
      return `Saving ${files}`
    case 'incomplete':
      return 'Not all files were sent'
    case 'refused':
      return 'The hub did not save the files'
    case 'stopped':
      return 'Canceled: nothing is saved'
    case 'done':
      return `Saved ${counted(state.files.filter(({ status }) => status === 'sent').length, 'file')}`
  }
}

function FileLine({ file }: { readonly file: FileState }) {
  const { path, size, status, done, why } = file
  return (
    <li>
      <span className="upload-name">{withHiddenShown(path)}</span>
      <span className="dim small nowrap">
        {bytes(size)} · {status}
      </span>
      {(status === 'reading' || status === 'sending') && (
        <progress value={percentOf(done, size)} max={100} aria-label={`${status} ${path}`} />
      )}
      {why !== null && <span className="field-error">{why}</span>}
    </li>
  )
}
