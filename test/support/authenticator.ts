/** A device with passkeys, without a browser: it signs what it is told to, also what no browser would have it sign. */
import { createHash, generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto'
import { isoCBOR } from '@simplewebauthn/server/helpers'

interface Credential {
  readonly id: Buffer
  readonly privateKey: KeyObject
  readonly userHandle: string
  counter: number
}

/** What is otherwise than in an honest ceremony. */
interface Otherwise {
  readonly origin?: string
  readonly rpId?: string
  readonly challenge?: string
  readonly type?: string
  readonly crossOrigin?: boolean
  /** Bits of the authenticator's data; by default that a person was there and confirmed it. */
  readonly flags?: number
  readonly counter?: number
  /** The attestation format, with its statement. */
  readonly attestation?: { readonly fmt: string; readonly attStmt: Map<string, unknown> }
  readonly credentialId?: Buffer
}

interface CreationOptions {
  readonly challenge: string
  readonly rp: { readonly id?: string }
  readonly user: { readonly id: string }
}
interface RequestOptions {
  readonly challenge: string
  readonly rpId?: string
}

const PRESENT = 1
const VERIFIED = 4
const BACKED_UP = 8 + 16
const HAS_CREDENTIAL = 64

const sha256 = (bytes: string | Uint8Array) => createHash('sha256').update(bytes).digest()
const base64url = (bytes: Uint8Array) => Buffer.from(bytes).toString('base64url')

/** A device at the hub whose pages have `origin`. With `counts` it counts its signatures, as security keys do. */
export function authenticator(origin: string, { counts = false } = {}) {
  const credentials: Credential[] = []
  const clientData = (type: string, challenge: string, { crossOrigin = false, ...other }: Otherwise) =>
    Buffer.from(
      JSON.stringify({
        type: other.type ?? type,
        challenge: other.challenge ?? challenge,
        origin: other.origin ?? origin,
        crossOrigin,
      }),
    )
  const data = (rpId: string, flags: number, counter: number, more = Buffer.alloc(0)) => {
    const head = Buffer.alloc(5)
    head[0] = flags
    head.writeUInt32BE(counter, 1)
    return Buffer.concat([sha256(rpId), head, more])
  }
  return {
    credentials,
    /** `navigator.credentials.create`. */
    create(options: CreationOptions, other: Otherwise = {}) {
      const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
      const jwk = publicKey.export({ format: 'jwk' })
      const id = other.credentialId ?? randomBytes(32)
      const coseKey = new Map<number, number | Buffer>([
        [1, 2],
        [3, -7],
        [-1, 1],
        [-2, Buffer.from(jwk.x ?? '', 'base64url')],
        [-3, Buffer.from(jwk.y ?? '', 'base64url')],
      ])
      const length = Buffer.alloc(2)
      length.writeUInt16BE(id.length)
      const counter = other.counter ?? 0
      credentials.push({ id, privateKey, userHandle: options.user.id, counter })
      const attested = Buffer.concat([Buffer.alloc(16), length, id, Buffer.from(isoCBOR.encode(plain(coseKey)))])
      const flags = (other.flags ?? PRESENT | VERIFIED | (counts ? 0 : BACKED_UP)) | HAS_CREDENTIAL
      const { fmt, attStmt } = other.attestation ?? { fmt: 'none', attStmt: new Map() }
      const object = new Map<string, unknown>([
        ['fmt', fmt],
        ['attStmt', attStmt],
        ['authData', new Uint8Array(data(other.rpId ?? options.rp.id ?? '', flags, counter, attested))],
      ])
      return {
        clientDataJSON: base64url(clientData('webauthn.create', options.challenge, other)),
        attestationObject: base64url(isoCBOR.encode(object as never)),
        transports: ['internal', 'hybrid'],
      }
    },
    /** `navigator.credentials.get`, with the newest credential or the one at `at`. */
    get(options: RequestOptions, other: Otherwise & { readonly at?: number } = {}) {
      const credential = credentials.at(other.at ?? -1)
      if (!credential) throw new Error('The device has no passkey.')
      if (counts) credential.counter += 1
      const flags = other.flags ?? PRESENT | VERIFIED | (counts ? 0 : BACKED_UP)
      const authenticatorData = data(other.rpId ?? options.rpId ?? '', flags, other.counter ?? credential.counter)
      const clientDataJSON = clientData('webauthn.get', options.challenge, other)
      const signed = Buffer.concat([authenticatorData, sha256(clientDataJSON)])
      return {
        id: base64url(other.credentialId ?? credential.id),
        clientDataJSON: base64url(clientDataJSON),
        authenticatorData: base64url(authenticatorData),
        signature: base64url(sign('sha256', signed, credential.privateKey)),
        userHandle: credential.userHandle,
      }
    },
  }
}

/** The encoder takes arrays of bytes alone. */
const plain = (map: ReadonlyMap<number, number | Buffer>) =>
  new Map([...map].map(([key, value]) => [key, typeof value === 'number' ? value : new Uint8Array(value)])) as never
