/**
 * What WebAuthn asks of a browser, and whether its answer is right. The library throws an error of its own for each
 * fault; here an answer is right, or null: which fault it was helps those who try alone.
 */
import type {
  PublicKeyCredentialCreationOptionsJSON,
  PublicKeyCredentialRequestOptionsJSON,
} from '@simplewebauthn/server'
import { z } from 'zod'
import { CEREMONY_SECONDS } from './ceremony.ts'
import type { NewPasskey, OwnPasskey } from './passkey-rows.ts'
import type { RelyingParty } from './relying-party.ts'

/** Read at the first ceremony: its parsers of certificates take 400 ms, and most hubs that start need none. */
const library = () => import('@simplewebauthn/server')
const helpers = () => import('@simplewebauthn/server/helpers')

/** EdDSA, ES256 and RS256 of COSE: what devices have. The same at every instance, whatever its runtime knows. */
const ALGORITHMS = [-8, -7, -257]
/** A key of RSA with 4,096 bits takes half of it. */
const MAX_PUBLIC_KEY_BYTES = 1024
/** Base64url of 16 KiB: an answer without certificates is below 2 KiB. */
const MAX_CHARACTERS = 21_846

/** Base64url without padding, as browsers send bytes. */
export const bytesText = z
  .string()
  .min(1)
  .max(MAX_CHARACTERS)
  .regex(/^[A-Za-z0-9_-]+$/)

/** `internal`, `hybrid`, `usb` and what may come. */
export const transportText = z.string().regex(/^[a-z0-9-]{1,32}$/)

/** What `navigator.credentials.create` gave, as far as it counts. */
export const createdShape = z.object({
  clientDataJSON: bytesText,
  attestationObject: bytesText,
  transports: z.array(transportText).max(10).default([]).readonly(),
})
export type Created = Readonly<z.infer<typeof createdShape>>

/** What `navigator.credentials.get` gave. */
export const assertedShape = z.object({
  id: bytesText.max(1364),
  clientDataJSON: bytesText,
  authenticatorData: bytesText,
  signature: bytesText,
  userHandle: bytesText,
})
export type Asserted = z.infer<typeof assertedShape>

interface Person {
  readonly handle: string
  readonly name: string | null
  /** Base64url. */
  readonly userHandle: string
}

/** What the page gives to the browser to have a passkey made, which the device itself finds again. */
export async function creationOptions(
  party: RelyingParty,
  challenge: string,
  { handle, name, userHandle }: Person,
  exclude: readonly Pick<OwnPasskey, 'credentialId' | 'transports'>[],
): Promise<PublicKeyCredentialCreationOptionsJSON> {
  const { generateRegistrationOptions } = await library()
  return generateRegistrationOptions({
    rpName: 'Hub',
    rpID: party.id,
    userName: handle,
    userDisplayName: name ?? handle,
    userID: new Uint8Array(Buffer.from(userHandle, 'base64url')),
    challenge: new Uint8Array(Buffer.from(challenge, 'base64url')),
    timeout: CEREMONY_SECONDS * 1000,
    attestationType: 'none',
    excludeCredentials: exclude.map(({ credentialId, transports }) => ({
      id: credentialId.toString('base64url'),
      transports: [...(transports ?? [])],
    })),
    authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
    supportedAlgorithmIDs: ALGORITHMS,
  })
}

/** What the page gives to the browser to sign in: no name, and no passkeys to choose from but those of the device. */
export async function requestOptions(
  party: RelyingParty,
  challenge: string,
): Promise<PublicKeyCredentialRequestOptionsJSON> {
  const { generateAuthenticationOptions } = await library()
  return generateAuthenticationOptions({
    rpID: party.id,
    challenge: new Uint8Array(Buffer.from(challenge, 'base64url')),
    timeout: CEREMONY_SECONDS * 1000,
    userVerification: 'required',
  })
}

/** The passkey of an answer that is right for this challenge and site; else null. */
export async function verifyCreated(
  party: RelyingParty,
  { challenge, userHandle }: { readonly challenge: string; readonly userHandle: string },
  { transports, ...response }: Created,
): Promise<Omit<NewPasskey, 'name'> | null> {
  const { verifyRegistrationResponse } = await library()
  if (isFramed(response.clientDataJSON) || !(await hasNoCertificates(response.attestationObject))) return null
  // The id stands in what the device signed; that of the envelope is for the browser.
  const envelope = { id: 'x', rawId: 'x', type: 'public-key' as const, clientExtensionResults: {}, response }
  const { registrationInfo } = await verifyRegistrationResponse({
    response: envelope,
    expectedChallenge: challenge,
    expectedOrigin: party.origin,
    expectedRPID: party.id,
    requireUserVerification: true,
    supportedAlgorithmIDs: ALGORITHMS,
  }).catch(() => ({ registrationInfo: undefined }))
  if (!registrationInfo) return null
  const { credential, credentialBackedUp } = registrationInfo
  const credentialId = Buffer.from(credential.id, 'base64url')
  const publicKey = Buffer.from(credential.publicKey)
  if (credentialId.length === 0 || credentialId.length > 1023 || publicKey.length > MAX_PUBLIC_KEY_BYTES) return null
  return {
    rpId: party.id,
    credentialId,
    publicKey,
    userHandle: Buffer.from(userHandle, 'base64url'),
    counter: credential.counter,
    transports,
    backedUp: credentialBackedUp,
  }
}

/** What a right answer says besides. */
interface Use {
  readonly counter: number
  readonly backedUp: boolean
}

/** Whether the passkey with this key answered this challenge at this site, and its person confirmed it; else null. */
export async function verifyAsserted(
  party: RelyingParty,
  challenge: string,
  { id, userHandle, ...rest }: Asserted,
  publicKey: Buffer,
): Promise<Use | null> {
  const { verifyAuthenticationResponse } = await library()
  if (isFramed(rest.clientDataJSON)) return null
  const answer = await verifyAuthenticationResponse({
    response: { id, rawId: id, type: 'public-key', clientExtensionResults: {}, response: { ...rest, userHandle } },
    expectedChallenge: challenge,
    expectedOrigin: party.origin,
    expectedRPID: party.id,
    requireUserVerification: true,
    // Given the counter of before, the library judges it before the signature: the row does it, once that is right.
    credential: { id, publicKey: new Uint8Array(publicKey), counter: 0 },
  }).catch(() => null)
  if (!answer?.verified) return null
  const { newCounter: counter, credentialBackedUp: backedUp } = answer.authenticationInfo
  return { counter, backedUp }
}

/**
 * A statement with certificates, which the hub does not ask for, makes the library fetch lists of revoked ones from the
 * addresses in them. A device that signs with the new key itself has none.
 */
async function hasNoCertificates(attestationObject: string): Promise<boolean> {
  const { decodeAttestationObject } = await helpers()
  try {
    const decoded = decodeAttestationObject(new Uint8Array(Buffer.from(attestationObject, 'base64url')))
    const format = decoded.get('fmt')
    return format === 'none' || (format === 'packed' && decoded.get('attStmt').get('x5c') === undefined)
  } catch {
    return false
  }
}

/** Whether another site has this one in a frame, which the library lets pass where a browser does not name it. */
function isFramed(clientDataJSON: string): boolean {
  try {
    const { crossOrigin, topOrigin } = JSON.parse(Buffer.from(clientDataJSON, 'base64url').toString('utf8'))
    return crossOrigin === true || topOrigin !== undefined
  } catch {
    return true
  }
}
