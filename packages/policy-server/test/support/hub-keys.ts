/** The keys of a hub, at `/.well-known/jwks.json`, and the tokens that it signs for sessions. */
import type { AddressInfo } from 'node:net'
import { createDouble } from '@hub/testing/double'
import { type CryptoKey, exportJWK, generateKeyPair, type JWK, type JWTPayload, SignJWT } from 'jose'

export const endpointId = 'ep_01hzzzzzzzzzzzzzzzzzzzzzzz'
export const modelSha256 = 'c'.repeat(64)

interface TokenParts {
  readonly claims?: JWTPayload
  readonly header?: Readonly<Record<string, unknown>>
  readonly key?: CryptoKey | Uint8Array
}

export interface KeyServer {
  readonly url: string
  /** Requests for the keys. */
  asked(): number
  /** The key that signs; replaced by `rotate`. */
  publicJwk(): JWK
  /** A token that opens a link, but for the given parts. `id`: of the session. */
  token(id: string, parts?: TokenParts): Promise<string>
  /** Signs with a new key from now on; without `keep` the old one is withdrawn. */
  rotate(keep: boolean): Promise<void>
  /** Whether it answers. */
  setAway(isAway: boolean): void
  /** Answers nothing until the returned function is called. */
  hold(): () => void
  close(): Promise<void>
}

export async function startKeyServer(): Promise<KeyServer> {
  let jwks: JWK[] = []
  let [kid, count, asked, isAway] = ['', 0, 0, false]
  let held: Promise<void> | null = null
  let privateKey: CryptoKey
  const rotate = async (keep: boolean) => {
    const pair = await generateKeyPair('EdDSA', { crv: 'Ed25519', extractable: true })
    privateKey = pair.privateKey
    count += 1
    kid = `key-${count}`
    jwks = [{ ...(await exportJWK(pair.publicKey)), kid, alg: 'EdDSA', use: 'sig' }, ...(keep ? jwks : [])]
  }
  await rotate(false)
  const server = createDouble(async (request, response) => {
    asked += 1
    await held
    if (isAway) response.destroy()
    else if (request.url === '/.well-known/jwks.json') response.end(JSON.stringify({ keys: jwks }))
    else response.writeHead(404).end()
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    asked: () => asked,
    publicJwk: () => jwks[0] as JWK,
    rotate,
    setAway(next) {
      isAway = next
    },
    hold() {
      const { promise, resolve } = Promise.withResolvers<void>()
      held = promise
      return resolve
    },
    token(id, { claims = {}, header = {}, key = privateKey } = {}) {
      const now = Math.floor(Date.now() / 1000)
      const named = {
        iss: 'hub',
        jti: id,
        sub: 'dev_1',
        aud: endpointId,
        endpoint: endpointId,
        model_sha256: modelSha256,
      }
      return new SignJWT({ ...named, iat: now, exp: now + 600, ...claims })
        .setProtectedHeader({ alg: 'EdDSA', typ: 'svc-session+jwt', kid, ...header })
        .sign(key)
    },
    close() {
      server.closeAllConnections()
      return new Promise((resolve) => server.close(() => resolve()))
    },
  }
}
