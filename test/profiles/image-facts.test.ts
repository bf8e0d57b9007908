import { expect, it } from 'vitest'
import { imageFacts } from '../../src/profiles/image-facts.ts'
import { animatedPng, jpeg, plainWebp, png, webp } from './images.ts'

it.each([
  ['png', png(256, 128)],
  ['jpeg', jpeg(256, 128)],
  ['webp', webp(256, 128)],
  ['webp', plainWebp('VP8 ', 256, 128)],
  ['webp', plainWebp('VP8L', 256, 128)],
] as const)('reads type and size of %s', (type, bytes) => {
  expect(imageFacts(bytes)).toEqual({ type, width: 256, height: 128 })
})

it.each([
  ['nothing', Buffer.alloc(0)],
  ['SVG', Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>')],
  ['HTML', Buffer.from(`<!doctype html>${' '.repeat(100)}`)],
  ['GIF', Buffer.from(`GIF89a${'\0'.repeat(60)}`, 'latin1')],
  ['a movement', webp(1, 1, 0x02)],
  ['a PNG that moves', animatedPng()],
  ['a PNG whose first chunk is not a header', Buffer.concat([png().subarray(0, 12), Buffer.from('tEXt'), png()])],
  ['a JPEG without a frame', Buffer.from('ffd8ffe000104a46494600010100000100010000ffda000c03', 'hex')],
  ['a JPEG whose segment has no length', Buffer.from('ffd8ffe00000ffe00000ffe00000', 'hex')],
  ['an unknown kind of WebP', Buffer.concat([Buffer.from('RIFF\0\0\0\0WEBPVP9 '), Buffer.alloc(30)])],
])('takes %s for no image', (_what, bytes) => {
  expect(imageFacts(bytes)).toBeNull()
})

it('never reads past the end, wherever bytes are cut', () => {
  for (const whole of [png(9, 9), jpeg(9, 9), webp(9, 9), plainWebp('VP8 ', 9, 9), plainWebp('VP8L', 9, 9)])
    for (let end = 0; end <= whole.length; end += 1) {
      const facts = imageFacts(whole.subarray(0, end))
      if (facts !== null) expect([facts.width, facts.height]).toEqual([9, 9])
    }
})
