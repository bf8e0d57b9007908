import { describe, expect, it } from 'vitest'
import { openSealed, seal } from '../../src/store/seal.ts'

const secret = 's'.repeat(32)
const plain = Buffer.from('a private key')

describe('what is sealed with HUB_SECRET', () => {
  it('opens with the same secret for the same purpose, and is never the same twice', () => {
    const sealed = seal(secret, 'one', plain)
    expect(openSealed(secret, 'one', sealed)).toEqual(plain)
    expect(openSealed(secret, 'one', new Uint8Array(sealed))).toEqual(plain)
    expect(seal(secret, 'one', plain)).not.toEqual(sealed)
    expect(sealed.includes(plain)).toBe(false)
    expect(openSealed(secret, 'one', seal(secret, 'one', Buffer.alloc(0)))).toEqual(Buffer.alloc(0))
  })

  it('opens with no other secret, for no other purpose, and not when a bit differs or a byte is missing', () => {
    const sealed = seal(secret, 'one', plain)
    expect(() => openSealed('t'.repeat(32), 'one', sealed)).toThrow('HUB_SECRET')
    expect(() => openSealed(secret, 'two', sealed)).toThrow('HUB_SECRET')
    for (let at = 0; at < sealed.length; at++) {
      const changed = Buffer.from(sealed)
      changed.writeUInt8(changed.readUInt8(at) ^ 1, at)
      expect(() => openSealed(secret, 'one', changed)).toThrow()
      expect(() => openSealed(secret, 'one', sealed.subarray(0, at))).toThrow()
    }
  })
})
