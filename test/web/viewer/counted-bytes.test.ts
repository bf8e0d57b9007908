/** Bytes of a stream as a page tells them: now and then, and all of them at its end. */
import { expect, it } from 'vitest'
import { countedBytes } from '../../../web/src/viewer/engine/counted-bytes.ts'

it('tells the bytes at most ten times a second, and all of them at the end', async () => {
  const told: number[] = []
  let clock = 0
  const stream = new ReadableStream<Uint8Array>({
    pull(controller) {
      clock += 40
      if (clock > 400) controller.close()
      else controller.enqueue(new Uint8Array(1_000))
    },
  })
  await countedBytes(
    stream,
    (done) => void told.push(done),
    () => clock,
  )
  expect(told.at(-1)).toBe(10_000)
  expect(told.length).toBeLessThanOrEqual(6)
  expect(told).toEqual(told.toSorted((a, b) => a - b))
})

it('rejects as the stream does', async () => {
  const broken = new ReadableStream<Uint8Array>({ start: (controller) => controller.error(new Error('Cut off.')) })
  await expect(countedBytes(broken, () => undefined)).rejects.toThrow('Cut off.')
})
