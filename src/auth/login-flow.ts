/**
 * Browser sign-in: authorization code with PKCE, state and nonce at the identity provider.
 * Contract, "Signing in from a browser".
 */
import * as client from 'openid-client'
import { HubError } from '../platform/errors.ts'
import { openSealed, seal } from '../store/seal.ts'
import type { Auth } from './auth.ts'
import type { Person } from './identities.ts'
import { personOfClaims, signedInAt } from './oidc.ts'

/** State kept sealed in a cookie while the browser is at the provider. */
export interface LoginState {
  readonly state: string
  readonly nonce: string
  readonly verifier: string
  readonly returnTo: string
}

/** A person whom the provider knows. */
export interface ProvenPerson {
  readonly person: Person
  /** Milliseconds since 1970; null if the provider does not tell. */
  readonly signedInAtMs: number | null
}

export interface LoginFlow {
  /** The provider's URL and the state to keep; with `isAgain` it asks the person again who they are. 503 if the provider does not respond. */
  begin(
    redirectUri: string,
    returnTo: string,
    isAgain: boolean,
  ): Promise<{ readonly url: URL; readonly kept: LoginState }>
  /** The person who signed in, and when they did. 401 if the callback does not belong to this sign-in. */
  finish(callback: URL, kept: LoginState): Promise<ProvenPerson>
}

export const LOGIN_TTL_SECONDS = 600
const TIMEOUT_SECONDS = 5

/** The flow of this deployment. 503 `not_configured.oidc` without OIDC_ISSUER and OIDC_CLIENT_ID. */
export function openLoginFlow(auth: Auth): LoginFlow {
  let discovered: Promise<client.Configuration> | null = null
  const settings = auth.config.oidc
  const configuration = () => {
    if (!settings?.clientId)
      throw new HubError('not_configured.oidc', 'Set OIDC_ISSUER and OIDC_CLIENT_ID to sign in here.')
    const { issuer, clientId, clientSecret } = settings
    discovered ??= client
      .discovery(new URL(issuer), clientId, {}, clientSecret ? client.ClientSecretBasic(clientSecret) : client.None(), {
        timeout: TIMEOUT_SECONDS,
        execute: issuer.startsWith('http:') ? [client.allowInsecureRequests] : [],
      })
      .catch((cause: unknown) => {
        discovered = null
        throw providerSilent(cause)
      })
    return discovered
  }
  return {
    async begin(redirectUri, returnTo, isAgain) {
      const provider = await configuration()
      const kept = {
        state: client.randomState(),
        nonce: client.randomNonce(),
        verifier: client.randomPKCECodeVerifier(),
        returnTo,
      }
      const url = client.buildAuthorizationUrl(provider, {
        redirect_uri: redirectUri,
        scope: 'openid profile',
        state: kept.state,
        nonce: kept.nonce,
        code_challenge: await client.calculatePKCECodeChallenge(kept.verifier),
        code_challenge_method: 'S256',
        // The second one makes the provider tell when that was.
        ...(isAgain ? { prompt: 'login', max_age: '0' } : {}),
      })
      return { url, kept }
    },
    async finish(callback, kept) {
      const provider = await configuration()
      const checks = { expectedState: kept.state, expectedNonce: kept.nonce, pkceCodeVerifier: kept.verifier }
      const tokens = await client.authorizationCodeGrant(provider, callback, checks).catch((cause: unknown) => {
        if (isSilence(cause)) throw providerSilent(cause)
        throw new HubError('auth.invalid', 'The sign-in was not completed; start again at /auth/login.', { cause })
      })
      const claims = tokens.claims()
      if (!claims || !settings)
        throw new HubError('auth.invalid', 'The response of the identity provider does not identify the user.')
      const userInfoClaims =
        claims[settings.handleClaim] === undefined ? await userInfo(provider, tokens, claims.sub) : {}
      const person = personOfClaims({ ...userInfoClaims, ...claims }, settings)
      return { person, signedInAtMs: signedInAt(claims)?.getTime() ?? null }
    },
  }
}

/**
 * Reads the profile from the userinfo endpoint, the only place where a conforming provider puts it. It only proposes a
 * handle, so if it is unavailable the person chooses one.
 */
async function userInfo(
  provider: client.Configuration,
  tokens: client.TokenEndpointResponse,
  subject: string,
): Promise<client.UserInfoResponse | object> {
  if (provider.serverMetadata().userinfo_endpoint === undefined) return {}
  return client.fetchUserInfo(provider, tokens.access_token, subject).catch(() => ({}))
}

/** Error codes for no response, or for one that only a proxy in front of an unavailable provider would send. */
const silentCodes = new Set(['OAUTH_TIMEOUT', 'OAUTH_RESPONSE_IS_NOT_CONFORM', 'OAUTH_RESPONSE_IS_NOT_JSON'])

function isSilence(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  const code = 'code' in error ? String(error.code) : ''
  return error instanceof TypeError ? code === '' : silentCodes.has(code)
}

function providerSilent(cause: unknown): HubError {
  return new HubError('unavailable', 'The identity provider does not respond; try again.', {
    cause,
    facts: { retryAfterS: 5 },
  })
}

/** Seals a cookie value that only this hub can read and that expires after `LOGIN_TTL_SECONDS`. */
export function sealForBrowser(auth: Auth, purpose: string, value: object): string {
  const body = JSON.stringify({ value, endsAtMs: Date.now() + LOGIN_TTL_SECONDS * 1000 })
  return seal(auth.secret, purpose, Buffer.from(body)).toString('base64url')
}

/** Opens a value from `sealForBrowser`; null if absent, altered or expired. */
export function openFromBrowser<T>(auth: Auth, purpose: string, sealed: string | null): T | null {
  if (sealed === null) return null
  try {
    const body = openSealed(auth.secret, purpose, Buffer.from(sealed, 'base64url')).toString('utf8')
    const { value, endsAtMs } = JSON.parse(body) as { value: T; endsAtMs: number }
    return endsAtMs > Date.now() ? value : null
  } catch {
    return null
  }
}
