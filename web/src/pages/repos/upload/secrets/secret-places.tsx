/** Where secrets were found: path, line and kind, never the secret. */
import type { Looked } from './look-for-secrets.ts'
import '../upload.css'

/** Places that are shown. */
const MOST_SHOWN = 20

export function SecretPlaces({ found }: { readonly found: Looked['found'] }) {
  return (
    <ul className="upload-names">
      {found.slice(0, MOST_SHOWN).map(({ path, line, kind }) => (
        <li key={`${path}:${line}:${kind}`}>
          <code>
            {path}:{line}
          </code>{' '}
          {kind}
        </li>
      ))}
      {found.length > MOST_SHOWN && <li>and {found.length - MOST_SHOWN} more</li>}
    </ul>
  )
}
