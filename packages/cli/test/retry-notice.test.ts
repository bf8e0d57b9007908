/** What a person reads while a command tries again. */
import { Writable } from 'node:stream'
import { expect, it } from 'vitest'
import { toldRetry } from '../src/retry-notice.ts'

/** What stands on standard error after these failures, of so many attempts and with so long a wait. */
function told(failures: readonly (readonly [attempt: number, waitMs: number])[], isTTY = false): string {
  let text = ''
  const stream = new Writable({
    write(chunk, _, done) {
      text += String(chunk)
      done()
    },
  })
  const { onRetry } = toldRetry(Object.assign(stream, { isTTY }))
  for (const [attempt, waitMs] of failures) onRetry?.({ error: new Error('The hub is away.'), attempt, waitMs })
  return text
}

it('nothing of a failure that is over in less than a second', () => {
  expect(
    told([
      [1, 250],
      [2, 500],
    ]),
  ).toBe('')
})

it('one line once the waits come to a second, or one wait is that long, and no more of the next ten', () => {
  const line = 'hub: The hub is away. Trying again.\n'
  expect(
    told([
      [1, 250],
      [2, 500],
      [3, 900],
      [4, 1800],
    ]),
  ).toBe(line)
  expect(told([[1, 30_000]])).toBe('hub: The hub is away. Trying again in 30 s.\n')
})

it('in place of a progress bar on a terminal', () => {
  expect(told([[3, 900]], true)).toBe('\r\x1b[Khub: The hub is away. Trying again.\n')
})
