/** Bodies that are read whole, into memory that is used again. */
import { randomBytes } from 'node:crypto'
import { PassThrough } from 'node:stream'
import { setTimeout as delay } from 'node:timers/promises'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { expect, it } from 'vitest'
import { openBodies, PLACE_BYTES } from '../../../rest-compat/engine/bodies.ts'

const MIB = 1_048_576
const limitBytes = 32 * MIB

/** In pieces as a connection brings them, each with memory of its own. */
function sent(bytes: Buffer, pieceBytes = 64 * 1024): PassThrough {
  const payload = new PassThrough({ highWaterMark: limitBytes })
  for (let at = 0; at < bytes.length; at += pieceBytes)
    payload.write(Buffer.from(Uint8Array.from(bytes.subarray(at, at + pieceBytes)).buffer))
  payload.end()
  return payload
}

const readWhole = (bodies: ReturnType<typeof openBodies>, bytes: Buffer, lengthBytes = bytes.length) =>
  bodies.read(sent(bytes), { lengthBytes, limitBytes })

it('a hundred archives one after another lie in one place, and each is as it was sent', async () => {
  const bodies = openBodies()
  const places = new Set<unknown>()
  for (let at = 0; at < 100; at += 1) {
    const bytes = randomBytes(MIB + at)
    const body = await readWhole(bodies, bytes)
    expect(body.equals(bytes)).toBe(true)
    places.add(body.buffer)
    bodies.release(body)
  }
  expect(places.size).toBe(1)
})

it('archives at once have a place each, four of which stay', async () => {
  const bodies = openBodies()
  const all = Array.from({ length: 6 }, () => randomBytes(2 * MIB))
  const read = await Promise.all(all.map((bytes) => readWhole(bodies, bytes)))
  expect(new Set(read.map(({ buffer }) => buffer)).size).toBe(6)
  expect(read.map((body, at) => body.equals(all[at] ?? body.subarray(1)))).toEqual(Array(6).fill(true))
  for (const body of read) bodies.release(body)
  expect(bodies.free()).toBe(4)
  // Twice is once: no two requests have one place.
  for (const body of read) bodies.release(body)
  expect(bodies.free()).toBe(4)
})

it('a place that was not given back is used for no other request', async () => {
  const bodies = openBodies()
  const first = await readWhole(bodies, Buffer.alloc(MIB, 1))
  const second = await readWhole(bodies, Buffer.alloc(MIB, 2))
  expect([first[0], second[0]]).toEqual([1, 2])
})

it('the memory of a refused archive, which no one gives back, is collected', async () => {
  setFlagsFromString('--expose-gc')
  const collect = runInNewContext('gc') as () => void
  const bodies = openBodies()
  const place = new WeakRef((await readWhole(bodies, randomBytes(2 * MIB))).buffer)
  await expect
    .poll(() => {
      collect()
      return place.deref() === undefined
    })
    .toBe(true)
  expect(bodies.free()).toBe(0)
})

it('a body of an unknown length, a small or a large one has memory of its own, and frees it', async () => {
  const bodies = openBodies()
  for (const [bytes, length] of [
    [randomBytes(2 * MIB), Number.NaN],
    [randomBytes(MIB - 1), MIB - 1],
    [randomBytes(PLACE_BYTES + 1), PLACE_BYTES + 1],
  ] as const) {
    const body = await readWhole(bodies, bytes, length)
    expect(body.equals(bytes)).toBe(true)
    bodies.release(body)
    expect([bodies.free(), body.buffer.byteLength === 0 || body.buffer.byteLength > body.byteLength]).toEqual([0, true])
  }
})

it('pieces are free as they come', async () => {
  const piece = Buffer.from(new ArrayBuffer(MIB))
  const payload = new PassThrough({ highWaterMark: limitBytes })
  const body = openBodies().read(payload, { lengthBytes: 2 * MIB, limitBytes })
  payload.write(piece)
  await expect.poll(() => piece.buffer.byteLength).toBe(0)
  payload.end(Buffer.alloc(MIB))
  expect((await body).byteLength).toBe(2 * MIB)
})

it('refuses what is too large, of another length, or broken off, and has its place again', async () => {
  const bodies = openBodies()
  const refused = (bytes: Buffer, lengthBytes: number, limit = limitBytes) =>
    bodies.read(sent(bytes), { lengthBytes, limitBytes: limit })
  await expect(refused(Buffer.alloc(10), limitBytes + 1)).rejects.toMatchObject({ statusCode: 413 })
  await expect(refused(Buffer.alloc(2 * MIB), Number.NaN, MIB)).rejects.toMatchObject({ statusCode: 413 })
  await expect(refused(Buffer.alloc(PLACE_BYTES + 1), MIB)).rejects.toMatchObject({ statusCode: 413 })
  await expect(refused(Buffer.alloc(MIB), MIB + 1)).rejects.toMatchObject({ statusCode: 400 })
  const payload = new PassThrough()
  const broken = bodies.read(payload, { lengthBytes: MIB, limitBytes })
  payload.write('x')
  payload.destroy(new Error('aborted'))
  await expect(broken).rejects.toMatchObject({ statusCode: 400, message: 'aborted' })
  expect(bodies.free()).toBe(1)
})

it('places that no archive needs for a while are given back', async () => {
  const bodies = openBodies(1)
  bodies.release(await readWhole(bodies, randomBytes(MIB)))
  await expect.poll(() => bodies.free()).toBe(0)
  await delay(5)
  const body = await readWhole(bodies, Buffer.alloc(MIB, 3))
  expect(body[MIB - 1]).toBe(3)
})
