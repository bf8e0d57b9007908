/** Passkeys of this browser. What speaks to the device is loaded where a person asks for it. */
import type {
  PublicKeyCredentialCreationOptionsJSON,
  PublicKeyCredentialRequestOptionsJSON,
} from '@simplewebauthn/browser'
import type { Problem } from './problem.ts'

/** What the hub says of passkeys: `signInWays`. */
interface Ways {
  readonly passkeyOrigin: string | null
  readonly noPasskeys: string | null
}

/** Whether this page may use passkeys; if not, why, and where one may. */
export type PasskeyUse =
  | { readonly can: true }
  | { readonly can: false; readonly why: string; readonly elsewhere: string | null }

/** What a page at `origin` may do with passkeys, in a browser that knows them or not. Pure. */
export function passkeyUse({ passkeyOrigin, noPasskeys }: Ways, origin: string, isKnown: boolean): PasskeyUse {
  if (passkeyOrigin === null) return { can: false, why: noPasskeys ?? 'This hub has no passkeys.', elsewhere: null }
  if (passkeyOrigin !== origin)
    return { can: false, why: `Passkeys work at ${passkeyOrigin}, and not at ${origin}.`, elsewhere: passkeyOrigin }
  return isKnown ? { can: true } : { can: false, why: 'This browser has no passkeys.', elsewhere: null }
}

/** The same for this page and browser. */
export const passkeyUseHere = (ways: Ways): PasskeyUse =>
  passkeyUse(ways, location.origin, 'PublicKeyCredential' in globalThis)

type Outcome<Made> = { readonly made: Made } | { readonly problem: Problem }

/** Has the device make a passkey. */
export const createPasskey = (options: unknown) =>
  attempt(async () => {
    const { startRegistration } = await import('@simplewebauthn/browser')
    const made = await startRegistration({ optionsJSON: options as PublicKeyCredentialCreationOptionsJSON })
    const { clientDataJSON, attestationObject, transports = [] } = made.response
    return { clientDataJSON, attestationObject, transports }
  })

/** Has the device sign in with a passkey that the person chooses. */
export const askForPasskey = (options: unknown) =>
  attempt(async () => {
    const { startAuthentication } = await import('@simplewebauthn/browser')
    const { id, response } = await startAuthentication({
      optionsJSON: options as PublicKeyCredentialRequestOptionsJSON,
    })
    const { clientDataJSON, authenticatorData, signature, userHandle } = response
    return { id, clientDataJSON, authenticatorData, signature, userHandle }
  })

async function attempt<Made>(work: () => Promise<Made>): Promise<Outcome<Made>> {
  try {
    return { made: await work() }
  } catch (error) {
    return { problem: problemOf(error) }
  }
}

/** What the person can do about it: a browser tells no page whether there was no passkey, or no wish to use one. */
function problemOf(error: unknown): Problem {
  const code = error instanceof Error && 'code' in error ? error.code : null
  if (code === 'ERROR_AUTHENTICATOR_PREVIOUSLY_REGISTERED')
    return {
      type: 'passkey-known',
      title: 'This device has your passkey already',
      detail: 'Sign in with it, or choose another device.',
    }
  return {
    type: 'passkey-not-used',
    title: 'No passkey was used',
    detail: 'It was cancelled, took too long, or the device has none for this hub. Try again, or choose another way.',
  }
}
