/** A real OpenID provider on loopback, and a browser without windows that goes through its pages. */
import type { RequestListener } from 'node:http'
import { createDouble } from '@hub/testing/double'
import { exportJWK, generateKeyPair, type JWK, SignJWT } from 'jose'
import Provider from 'oidc-provider'
import { vi } from 'vitest'

export interface TestProvider {
  readonly issuer: string
  /** The provider's claims of a login besides `sub`, which is the login itself. */
  readonly people: Map<string, Record<string, unknown>>
  /** A token by the key that the provider publishes now. */
  sign(claims: Record<string, unknown>, header?: Record<string, unknown>): Promise<string>
  /** Publishes and signs with a new key, and forgets the old one. */
  rotate(): Promise<void>
  stop(): Promise<void>
}

export const AUDIENCE = 'https://hub.test/api'
export const APP_REDIRECT = 'http://127.0.0.1:9/app'

interface PublishedKey {
  readonly jwk: JWK
  readonly privateKey: Awaited<ReturnType<typeof generateKeyPair>>['privateKey']
}

let keyCount = 0

async function newKey(): Promise<PublishedKey> {
  const { privateKey } = await generateKeyPair('RS256', { extractable: true })
  return { privateKey, jwk: { ...(await exportJWK(privateKey)), kid: `key-${++keyCount}`, alg: 'RS256', use: 'sig' } }
}

/** Starts a provider that knows the hub at `hubUrl`, and an app whose access tokens are JWTs for the hub. */
export async function startProvider(hubUrl: string): Promise<TestProvider> {
  let handle: RequestListener = (_request, response) => void response.writeHead(503).end()
  const server = createDouble((request, response) => handle(request, response))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  const issuer = `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`
  const people = new Map<string, Record<string, unknown>>()
  let key = await newKey()
  const publish = () => {
    // It warns about its development pages and http, which are intended here.
    const quiet = [vi.spyOn(console, 'warn'), vi.spyOn(console, 'info')].map((spy) =>
      spy.mockImplementation(() => undefined),
    )
    handle = new Provider(issuer, configuration(hubUrl, key.jwk, people)).callback()
    for (const spy of quiet) spy.mockRestore()
  }
  publish()
  return {
    issuer,
    people,
    sign: (claims, header = {}) =>
      new SignJWT({ iss: issuer, aud: AUDIENCE, exp: Math.floor(Date.now() / 1000) + 600, ...claims })
        .setProtectedHeader({ alg: 'RS256', kid: key.jwk.kid ?? '', ...header })
        .setIssuedAt()
        .sign(key.privateKey),
    async rotate() {
      key = await newKey()
      publish()
    },
    stop: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

function configuration(hubUrl: string, jwk: JWK, people: TestProvider['people']): Record<string, unknown> {
  const code = { grant_types: ['authorization_code'], response_types: ['code'] }
  return {
    clients: [
      { ...code, client_id: 'hub', client_secret: 'hub secret', redirect_uris: [`${hubUrl}/auth/callback`] },
      {
        ...code,
        client_id: 'app',
        token_endpoint_auth_method: 'none',
        application_type: 'native',
        redirect_uris: [APP_REDIRECT],
      },
    ],
    jwks: { keys: [jwk] },
    ttl: { Interaction: 600, Session: 600, Grant: 600, AccessToken: 600, IdToken: 600 },
    cookies: { keys: ['a key of the provider'] },
    pkce: { required: () => true },
    claims: { openid: ['sub'], profile: ['preferred_username', 'name'] },
    findAccount: (_ctx: unknown, login: string) => ({
      accountId: login,
      claims: () => ({ sub: login, ...people.get(login) }),
    }),
    extraTokenClaims: (_ctx: unknown, token: { accountId: string }) => people.get(token.accountId),
    features: {
      resourceIndicators: {
        enabled: true,
        getResourceServerInfo: () => ({
          scope: 'use',
          audience: AUDIENCE,
          accessTokenFormat: 'jwt',
          jwt: { sign: { alg: 'RS256' } },
        }),
        useGrantedResource: () => true,
      },
    },
  }
}

export interface Page {
  readonly url: string
  readonly status: number
  readonly headers: Headers
  readonly text: string
}

/** A browser of one person: keeps cookies for each origin, follows redirects, and fills in the provider's forms with `login`. */
export function openBrowser(login: string) {
  const jars = new Map<string, Map<string, string>>()
  const jarOf = (url: string) => {
    const { origin } = new URL(url)
    const jar = jars.get(origin) ?? new Map<string, string>()
    jars.set(origin, jar)
    return jar
  }

  /** One request and no more. */
  async function send(url: string, init: RequestInit = {}): Promise<Page> {
    const headers = new Headers(init.headers)
    const jar = jarOf(url)
    if (jar.size > 0) headers.set('cookie', [...jar].map(([name, value]) => `${name}=${value}`).join('; '))
    const response = await fetch(url, { ...init, headers, redirect: 'manual' })
    for (const line of response.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? []
      if (/max-age=0\b|expires=Thu, 01 Jan 1970/i.test(line)) jar.delete(name)
      else jar.set(name, value)
    }
    return { url, status: response.status, headers: response.headers, text: await response.text() }
  }

  /** Follows redirects until a page that is not a form of the provider, or a URL that starts with `until`. */
  async function go(url: string, until = '\0'): Promise<Page> {
    let page = await send(url)
    for (let step = 0; step < 20; step++) {
      const location = page.headers.get('location')
      const [, action] = /<form autocomplete="off" action="([^"]+)"/.exec(page.text) ?? []
      if (location !== null) {
        const next = new URL(location, page.url).href
        if (next.startsWith(until)) return { ...page, url: next }
        page = await send(next)
      } else if (action !== undefined) {
        const prompt = /name="prompt" value="(\w+)"/.exec(page.text)?.[1] ?? ''
        page = await send(new URL(action, page.url).href, {
          method: 'POST',
          body: new URLSearchParams({ prompt, login, password: 'x' }),
        })
      } else return page
    }
    throw new Error(`The browser went round in circles at ${page.url}`)
  }

  return { send, go, cookies: (url: string): ReadonlyMap<string, string> => jarOf(url) }
}
