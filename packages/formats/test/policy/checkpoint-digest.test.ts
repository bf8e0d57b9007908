import { createHash } from 'node:crypto'
import { expect, it } from 'vitest'
import { checkpointDigest } from '../../src/policy/checkpoint-digest.ts'

it('is the SHA-256 over one line a file, in byte order of path', () => {
  const [a, b, c] = ['a', 'b', 'c'].map((letter) => letter.repeat(64)) as [string, string, string]
  const files = [
    { path: 'policy/\u{10000}', sha256: a },
    { path: 'policy/\uffff', sha256: b },
    { path: 'manifest.json', sha256: c },
  ]
  // UTF-8 sorts U+FFFF before U+10000; UTF-16 does not.
  const lines = `manifest.json ${c}\npolicy/\uffff ${b}\npolicy/\u{10000} ${a}\n`
  expect(checkpointDigest(files)).toBe(createHash('sha256').update(lines).digest('hex'))
})
