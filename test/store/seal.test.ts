import { expect, test } from 'vitest'
import { openSealed, seal } from '../../src/store/seal.ts'

const secret = 'a secret of the deployment, 32 bytes'
const plain = Buffer.from('the private key')

test('a sealed value opens to the same bytes, and no two seals are equal', () => {
  const [first, second] = [seal(secret, 'keys', plain), seal(secret, 'keys', plain)]
  expect(openSealed(secret, 'keys', first)).toEqual(plain)
  expect(openSealed(secret, 'keys', seal(secret, 'keys', Buffer.alloc(0)))).toEqual(Buffer.alloc(0))
  expect(first.equals(second)).toBe(false)
  expect(first.includes(plain)).toBe(false)
})

test('another secret or another purpose opens nothing', () => {
  const sealed = seal(secret, 'keys', plain)
  expect(() => openSealed(`${secret}!`, 'keys', sealed)).toThrow('HUB_SECRET')
  expect(() => openSealed(secret, 'cookies', sealed)).toThrow('HUB_SECRET')
})

test('a changed byte anywhere, a missing one, or far too few open nothing', () => {
  const sealed = seal(secret, 'keys', plain)
  for (let at = 0; at < sealed.length; at += 1) {
    const changed = Buffer.from(sealed)
    changed[at] = (changed[at] ?? 0) ^ 1
    expect(() => openSealed(secret, 'keys', changed)).toThrow()
  }
  for (const bytes of [0, 5, 12, 27, sealed.length - 1])
    expect(() => openSealed(secret, 'keys', sealed.subarray(0, bytes))).toThrow()
})
