/** What was found in files before they are sent, and what a person decides. */
import { counted } from '../../../../ui/format.ts'
import type { Looked } from './look-for-secrets.ts'
import { SecretPlaces } from './secret-places.tsx'

interface Props {
  readonly looked: Looked
  /** Of all files. */
  readonly files: number
  /** Sends the files that have no secret. */
  readonly sendOthers: () => void
  readonly sendAll: () => void
  readonly back: () => void
}

export function SecretsNotice({ looked: { found, left }, files, sendOthers, sendAll, back }: Props) {
  const paths = new Set(found.map(({ path }) => path))
  const others = files - paths.size
  return (
    <section className="panel stack upload" aria-label="Upload">
      {found.length > 0 && (
        <div className="notice" role="alert">
          <p>
            {counted(paths.size, 'file')} of these {paths.size === 1 ? 'holds' : 'hold'} what looks like a secret.
            Nothing is sent yet.
          </p>
          <SecretPlaces found={found} />
          <p>
            Anyone who can read the repo can read them, in older versions too. Take them out, and choose the files
            again.
          </p>
        </div>
      )}
      {left > 0 && (
        <p className="notice" role="alert">
          Looking for secrets took too long: {counted(left, 'file')} could not be looked into.
        </p>
      )}
      <div className="row">
        {others > 0 && found.length > 0 && (
          <button type="button" className="button primary" onClick={sendOthers}>
            Upload the {counted(others, 'other file')}
          </button>
        )}
        <button type="button" className="button danger" onClick={sendAll}>
          Upload all {files} anyway
        </button>
        <button type="button" className="button" onClick={back}>
          Back
        </button>
      </div>
    </section>
  )
}
