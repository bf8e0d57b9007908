import { expect, it } from 'vitest'
import { timedFor } from '../src/platform/processor-time.ts'
import { Turns } from '../src/platform/turns.ts'

/** Resolves behind the next turn of the event loop. */
const oneTurn = () => new Promise<void>((resolve) => setImmediate(resolve))

it('lets as many pieces begin in a turn as fill it, first come first served', async () => {
  const turns = new Turns()
  const begun: number[] = []
  for (const [at, cost] of [0.5, 0.5, 0.5, 1, 5, 0, 0].entries()) void turns.next(cost).then(() => begun.push(at))
  await Promise.resolve()
  expect(begun).toEqual([])
  const seen: number[][] = []
  for (let turn = 0; turn < 4; turn += 1) {
    await oneTurn()
    seen.push([...begun])
  }
  expect(seen).toEqual([
    [0, 1],
    [0, 1, 2],
    [0, 1, 2, 3],
    [0, 1, 2, 3, 4],
  ])
  await oneTurn()
  expect(begun).toEqual([0, 1, 2, 3, 4, 5, 6])
})

it('leaves what else is due its place between two turns of a long work', async () => {
  const turns = new Turns()
  let pieces = 0
  let isOver = false
  const working = (async () => {
    while (!isOver) {
      await turns.next()
      pieces += 1
    }
  })()
  const seen = pieces
  await oneTurn()
  await oneTurn()
  expect(pieces - seen).toBeLessThanOrEqual(3)
  isOver = true
  await working
})

it('begins pieces that cost nearly nothing 128 at a time', async () => {
  const turns = new Turns()
  let begun = 0
  for (let at = 0; at < 250; at += 1) void turns.next(0).then(() => (begun += 1))
  await oneTurn()
  expect(begun).toBe(128)
})

it('gives each operation its turn, however many pieces another one has waiting', async () => {
  const turns = new Turns()
  const user = () => ({ addTime: () => undefined })
  const greedy = [user(), user()]
  const seen = { greedy: 0, other: 0, ofNone: 0 }
  const ask = (who: keyof typeof seen) => void turns.next(1 / 16).then(() => (seen[who] += 1))
  for (const one of greedy) timedFor(one, () => Array.from({ length: 50_000 }, () => ask('greedy')))
  timedFor(user(), () => ask('other'))
  ask('ofNone')
  await oneTurn()
  expect(seen).toEqual({ greedy: 14, other: 1, ofNone: 1 })
})

it('keeps the order of the pieces of one operation while its lane goes on', async () => {
  const turns = new Turns()
  const begun: number[] = []
  for (let at = 0; at < 3000; at += 1) void turns.next(0).then(() => begun.push(at))
  await expect.poll(() => begun.length).toBe(3000)
  expect(begun).toEqual(Array.from({ length: 3000 }, (_, at) => at))
})
