/** Signing in from a terminal, as RFC 8628 does, and the keys of the person who is signed in. */
import { setTimeout as delay } from 'node:timers/promises'
import { z } from 'zod'
import { type Answer, conformsTo } from './agreement.ts'
import type { Caller } from './call.ts'
import { pages } from './pages.ts'
import { ProblemError } from './problem.ts'
import { nullable } from './shapes.ts'
import type { KeyScope } from './v1.ts'

const startedLogin = conformsTo<Answer<'startDeviceLogin'>>()(
  z.looseObject({
    device_code: z.string(),
    user_code: z.string(),
    verification_uri: z.string(),
    verification_uri_complete: z.string(),
    expires_in: z.number(),
    interval: z.number(),
  }),
)
export type StartedLogin = z.output<typeof startedLogin>

const redeemedLogin = conformsTo<Answer<'redeemDeviceLogin'>>()(
  z.looseObject({
    token: z.string(),
    key: z.looseObject({
      id: z.string(),
      name: z.string(),
      owner: z.looseObject({ handle: z.string() }),
      scope: z.string(),
      expires_at: nullable(z.string()),
    }),
  }),
)
export type RedeemedLogin = z.output<typeof redeemedLogin>

const remoteKey = z.looseObject({
  id: z.string(),
  name: z.string(),
  owner: z.looseObject({ handle: z.string() }),
  scope: z.string().toLowerCase(),
  repos: nullable(z.array(z.string())),
  agent: z.boolean(),
  dailyGpuHourQuota: nullable(z.number()),
  expiresAt: nullable(z.string()),
  revokedAt: nullable(z.string()),
  lastUsedAt: nullable(z.string()),
  createdAt: z.string(),
})
export type RemoteKey = z.output<typeof remoteKey>

const keyFields =
  'id name owner { handle } scope repos agent dailyGpuHourQuota expiresAt revokedAt lastUsedAt createdAt'
const keyPage = z.looseObject({
  apiKeys: z.looseObject({
    nodes: z.array(remoteKey),
    pageInfo: z.looseObject({ endCursor: nullable(z.string()), hasNextPage: z.boolean() }),
  }),
})
const madeKey = z.looseObject({ createApiKey: z.looseObject({ token: z.string(), key: remoteKey }) })
const revokedKey = z.looseObject({ revokeApiKey: z.looseObject({ key: remoteKey }) })

const listText = `query ($owner: String, $after: String) { apiKeys(owner: $owner, first: 100, after: $after) {
  nodes { ${keyFields} } pageInfo { endCursor hasNextPage } } }`
const createText = `mutation ($input: CreateApiKeyInput!) { createApiKey(input: $input) { token key { ${keyFields} } } }`
const revokeText = `mutation ($input: RevokeApiKeyInput!) { revokeApiKey(input: $input) { key { ${keyFields} } } }`

/** What `create` takes: the members of GraphQL's `CreateApiKeyInput`. */
export interface NewRemoteKey {
  readonly name: string
  readonly scope: Uppercase<KeyScope>
  readonly owner?: string | undefined
  readonly repos?: readonly string[] | undefined
  readonly agent?: boolean | undefined
  readonly dailyGpuHourQuota?: number | undefined
  readonly expiresAt?: string | undefined
}

/** Sign-in and keys, as functions of one caller. */
export function signInCalls(caller: Caller) {
  const { call, graph } = caller
  return {
    /** Needs no credential. `keyTtlSeconds`: the lifetime of the key. */
    start: (input: { name: string; scope: KeyScope; keyTtlSeconds: number }) =>
      call('POST /v1/auth/device', startedLogin, {
        body: { name: input.name, scope: input.scope, key_ttl_seconds: input.keyTtlSeconds },
      }),
    /**
     * The key, once a person has approved; rejects with `device_login.access_denied` or `device_login.expired_token`.
     */
    wait: (started: StartedLogin) => waitForKey(caller, started),
    /** Pages of at most 100 keys of yourself or `owner`, newest first. Needs a session. */
    keys: (owner?: string) =>
      pages<RemoteKey>(caller.url, async (cursor) => {
        const { apiKeys } = await graph(listText, { owner, after: cursor }, keyPage)
        const { hasNextPage, endCursor } = apiKeys.pageInfo
        return { items: apiKeys.nodes, next_cursor: hasNextPage ? endCursor : null }
      }),
    /** Needs a session; the token is not shown again. */
    createKey: async (input: NewRemoteKey) => (await graph(createText, { input }, madeKey)).createApiKey,
    /** Needs a session, or the key itself. */
    revokeKey: async (id: string) => (await graph(revokeText, { input: { id } }, revokedKey)).revokeApiKey.key,
  }
}

async function waitForKey({ call, signal }: Caller, started: StartedLogin): Promise<RedeemedLogin> {
  let intervalS = started.interval
  for (;;) {
    await delay(intervalS * 1000, undefined, { signal })
    try {
      return await call('POST /v1/auth/device/token', redeemedLogin, { body: { device_code: started.device_code } })
    } catch (error) {
      if (!(error instanceof ProblemError)) throw error
      if (error.kind === 'device_login.slow_down') intervalS += 5
      else if (error.kind !== 'device_login.authorization_pending') throw error
    }
  }
}
