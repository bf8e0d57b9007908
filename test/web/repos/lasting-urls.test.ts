/** Addresses of pictures while a list is read again. */
import { expect, it } from 'vitest'
import { lastingUrl } from '../../../web/src/pages/repos/lasting-urls.ts'

it('stay the same for the same bytes until they are about to expire', () => {
  const signed = (url: string, of: string | null = 'aa') => ({ url, of })
  expect(lastingUrl(signed('first'), 0)).toBe('first')
  expect(lastingUrl(signed('second'), 49 * 60_000)).toBe('first')
  expect(lastingUrl(signed('third'), 51 * 60_000)).toBe('third')
  expect(lastingUrl(signed('other', 'bb'), 0)).toBe('other')
  // Bytes that the hub has not hashed are not known again.
  expect(lastingUrl(signed('new', null), 0)).toBe('new')
  expect(lastingUrl(signed('newer', null), 0)).toBe('newer')
})
