/** What looks like a secret in a text that is about to be saved. */
import type { Looked } from '../upload/secrets/look-for-secrets.ts'
import { SecretPlaces } from '../upload/secrets/secret-places.tsx'

interface Props {
  readonly found: Looked['found']
  readonly saveAnyway: (form: HTMLFormElement) => void
}

export function SecretsInText({ found, saveAnyway }: Props) {
  return (
    <div className="notice stack" role="alert">
      <p>This text holds what looks like a secret. It is not saved yet.</p>
      <SecretPlaces found={found} />
      <p>Anyone who can read the repo can read it, in older versions too. Take it out, and save again.</p>
      <div className="row">
        <button
          type="button"
          className="button danger"
          onClick={({ currentTarget: { form } }) => form && saveAnyway(form)}
        >
          Save anyway
        </button>
      </div>
    </div>
  )
}
