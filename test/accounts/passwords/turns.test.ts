/** Contract, "Passwords": how many are hashed at once. */
import { describe, expect, it } from 'vitest'
import { Turns } from '../../../src/accounts/passwords/password-turns.ts'
import { HubError } from '../../../src/platform/errors.ts'

const refusal = (work: Promise<unknown>) =>
  work.then(
    () => null,
    (error: unknown) => (error instanceof HubError ? error.type : 'unknown'),
  )

/** Work that ends when it is told to, and says how much of it is in progress. */
function heldWork() {
  const begun: (() => void)[] = []
  const order: string[] = []
  const work = (name: string) => () =>
    new Promise<string>((resolve) => {
      order.push(name)
      begun.push(() => resolve(name))
    })
  return { begun, order, work }
}
const settled = () => new Promise((resolve) => setImmediate(resolve))

describe('turns', () => {
  it('does no more at once than its places, and the rest in the order in which they came', async () => {
    const turns = new Turns({ atOnce: 2, waiting: 4, ofOneAsker: 4 })
    const { begun, order, work } = heldWork()
    const all = ['a', 'b', 'c', 'd', 'e'].map((name) => turns.take(name, work(name)))
    await settled()
    expect(order).toEqual(['a', 'b'])
    begun[1]?.()
    await settled()
    expect(order).toEqual(['a', 'b', 'c'])
    for (const next of [0, 2, 3, 4]) {
      begun[next]?.()
      await settled()
    }
    expect(await Promise.all(all)).toEqual(['a', 'b', 'c', 'd', 'e'])
  })

  it('refuses where too many wait, and where one asker has too many', async () => {
    const turns = new Turns({ atOnce: 1, waiting: 2, ofOneAsker: 2 })
    const { begun, work } = heldWork()
    const held = [turns.take('a', work('a')), turns.take('a', work('a'))]
    expect(await refusal(turns.take('a', work('a')))).toBe('unavailable')
    held.push(turns.take('b', work('b')))
    expect(await refusal(turns.take('c', work('c')))).toBe('unavailable')
    for (const next of [0, 1, 2]) {
      begun[next]?.()
      await settled()
    }
    await Promise.all(held)
    const after = turns.take('a', work('a'))
    await settled()
    begun[3]?.()
    expect(await after).toBe('a')
  })

  it('gives a place back after work that failed', async () => {
    const turns = new Turns({ atOnce: 1, waiting: 0, ofOneAsker: 1 })
    await expect(turns.take('a', () => Promise.reject(new Error('lost')))).rejects.toThrow('lost')
    expect(await turns.take('a', async () => 'done')).toBe('done')
  })
})
