/** Contract, "Signing in from a browser": a provider is asked to ask the person again, and says when it did. */
import { describe, expect, it } from 'vitest'
import { openBrowser } from './support/provider.ts'
import { providerHub } from './support/provider-hub.ts'

const own = providerHub()
const { at } = own
/** Asks for what needs a recent sign-in, and stores nothing. */
const asked = {
  method: 'POST',
  body: JSON.stringify({ query: '{ newPasskey { ceremony } }' }),
} as const
const headers = { 'content-type': 'application/json' }
const refusalIn = (text: string): string | undefined => JSON.parse(text).errors?.[0].extensions.problem.type

describe('signing in again', () => {
  it('goes through the form of the provider once more, and only then', async () => {
    const browser = openBrowser('1001')
    const first = await browser.send(at('/auth/login?return_to=/v1/me'))
    const query = (location: string | null) => Object.fromEntries(new URL(location ?? '').searchParams)
    expect(query(first.headers.get('location'))).not.toHaveProperty('prompt')
    expect((await browser.go(first.headers.get('location') ?? '')).status).toBe(200)
    const again = await browser.send(at('/auth/login?again=1&return_to=/v1/me'))
    expect(query(again.headers.get('location'))).toMatchObject({ prompt: 'login', max_age: '0' })
    // The provider knows the person by its own cookie: without `prompt` it would lead straight back.
    const form = await browser.send(again.headers.get('location') ?? '')
    expect(new URL(form.headers.get('location') ?? '', own.provider.issuer).pathname).toMatch(/^\/interaction\//)
    const back = await browser.go(again.headers.get('location') ?? '')
    expect([back.status, back.url]).toEqual([200, at('/v1/me')])
    const answer = await browser.send(at('/graphql'), { ...asked, headers: { ...headers, origin: own.hub.url } })
    expect(refusalIn(answer.text)).toBeUndefined()
  })
})

describe('a token of the provider', () => {
  it('counts from its auth_time, and not from when it was made', async () => {
    const now = Math.floor(Date.now() / 1000)
    const refusalOf = async (authTime: number | undefined, jti: string) => {
      const token = await own.provider.sign({ sub: '1001', jti, auth_time: authTime, preferred_username: 'ada' })
      const answer = await fetch(at('/graphql'), {
        ...asked,
        headers: { ...headers, authorization: `Bearer ${token}` },
      })
      return refusalIn(await answer.text())
    }
    expect(await refusalOf(now - 16 * 60, 'old')).toBe('/problems/forbidden.old_sign_in')
    expect(await refusalOf(now - 14 * 60, 'recent')).toBeUndefined()
    expect(await refusalOf(undefined, 'made now')).toBeUndefined()
  })
})
