/** The page that a hub names for a sign-in is shown and opened only if it is that hub's own. */
import { describe, expect, it } from 'vitest'
import { ownPage } from '../src/sign-in-page.ts'

const asked = 'https://hub.example'
const page = '/auth/device?user_code=WDJB-MJHT'

describe('the page of a sign-in', () => {
  it.each([
    [asked, `${asked}${page}`],
    [asked, `https://hub.example:443${page}`],
    ['http://localhost:4000', `http://127.0.0.1:4000${page}`],
    ['http://127.0.0.1:4000', `http://[::1]:4000${page}`],
  ])('of %s may be %s', (url, uri) => {
    expect(ownPage(uri, url)).toBe(new URL(uri).href)
  })

  it.each([
    ['another host', asked, 'https://other.example'],
    ['another port', asked, 'https://hub.example:8443'],
    ['another scheme that is better', 'http://hub.example', 'https://hub.example'],
    ['another port of this machine', 'http://localhost:4000', 'http://127.0.0.1:4001'],
    ['another scheme of this machine', 'http://localhost:4000', 'https://127.0.0.1:4000'],
  ])('with %s is refused, and the address is named in case that it is the right one', (_, url, origin) => {
    expect(() => ownPage(`${origin}${page}`, url)).toThrow(`hub login --url ${origin}`)
  })

  it.each([`http://hub.example${page}`, `http://hub.example:443${page}`])(
    'without TLS is refused where the hub was asked with it, and never recommended: %s',
    (uri) => {
      expect(() => ownPage(uri, asked)).toThrow(/without TLS.*PUBLIC_URL/)
      expect(() => ownPage(uri, asked)).not.toThrow('hub login --url')
    },
  )

  it.each(['file:///etc/passwd', 'javascript:alert(1)', '/auth/device', '', `https://ada:pw@hub.example${page}`])(
    'is none: %s',
    (uri) => {
      expect(() => ownPage(uri, asked)).toThrow('names no page to sign in at')
    },
  )
})
