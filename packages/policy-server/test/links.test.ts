// @module-tag sampled
/**
 * A link answers observations with actions, in text and in the binary frames of openpi's client; what is wrong with a
 * frame ends that link and nothing else.
 */
import { randomBytes } from 'node:crypto'
import { createConnection } from 'node:net'
import { fingerprintOf } from '@hub/embodiment/fingerprint'
import type { JointMap } from '@hub/embodiment/joint-map'
import { describeOnce, inTorture, itOnce } from '@hub/testing/torture'
import { decode, encode } from '@msgpack/msgpack'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { MAX_FRAME_BYTES, MAX_UNREAD_BYTES } from '../src/limits.ts'
import { connect, type Device, packedArray, packedMap } from './support/device.ts'
import { type Listening, startListening, until } from './support/listening.ts'
import { actionsFor, endlessPolicy } from './support/small-policy.ts'

let server: Listening
beforeAll(async () => {
  server = await startListening()
})
afterAll(() => server.close())

let count = 0
async function linked(protocol: string | null = 'policy.json'): Promise<Device> {
  count += 1
  return connect(server.address, { api_key: await server.keys.token(`esess_${count}`) }, protocol)
}
const f4 = (...values: number[]) => new Uint8Array(Float32Array.of(...values).buffer)
/** Byte keys become texts. */
const unpacked = (bytes: unknown) =>
  decode(bytes as Uint8Array, {
    mapKeyConverter: (key) => (key instanceof Uint8Array ? Buffer.from(key).toString() : String(key)),
  })

describeOnce('a link', () => {
  it('begins with the model’s metadata, in text for a client that asks for it', async () => {
    const device = await linked()
    expect(device.metadata).toMatchObject({
      protocol: 'policy/1',
      inputs: [{ name: 'obs', type: 'float32', shape: ['batch', 3] }],
      outputs: [{ name: 'actions', type: 'float32', shape: ['batch', 4, 3] }],
      session_id: `esess_${count}`,
      expires_at: expect.stringMatching(/^20.*Z$/),
    })
    device.close()
  })

  it('answers one observation with its chunk of actions and its time', async () => {
    const device = await linked()
    const { actions, server_timing: timing } = await device.ask({ obs: [1, -2, 0.5] })
    expect(actions).toEqual(actionsFor([1, -2, 0.5]))
    expect(timing).toEqual({ infer_ms: expect.any(Number) })
    expect((await device.ask({ obs: [0, 0, 0] })).server_timing).toEqual({
      infer_ms: expect.any(Number),
      prev_total_ms: expect.any(Number),
    })
    device.close()
  })

  it('answers a batch with a batch, and a batch of one with a batch of one', async () => {
    const device = await linked()
    expect(
      (
        await device.ask({
          obs: [
            [1, 2, 3],
            [4, 5, 6],
          ],
        })
      ).actions,
    ).toEqual([actionsFor([1, 2, 3]), actionsFor([4, 5, 6])])
    expect((await device.ask({ obs: [[1, 2, 3]] })).actions).toEqual([actionsFor([1, 2, 3])])
    device.close()
  })

  it('answers observations that wait in their order', async () => {
    const device = await linked()
    for (const value of [1, 2, 3]) device.socket.send(JSON.stringify({ obs: [value, 0, 0] }))
    for (const value of [1, 2, 3])
      expect(((await device.next()) as { actions: unknown }).actions).toEqual(actionsFor([value, 0, 0]))
    device.close()
  })

  it('counts what it served and how long it took', async () => {
    const device = await linked()
    for (let chunk = 0; chunk < 5; chunk += 1) await device.ask({ obs: [1, 2, 3] })
    const state = server.book.states().find(({ session_id: id }) => id === device.metadata.session_id)
    expect(state).toMatchObject({ state: 'open', chunks_served: 5 })
    expect(state?.service_ms_p95 ?? 0).toBeGreaterThanOrEqual(state?.service_ms_p50 ?? 1)
    expect(state?.gpu_seconds).toBeGreaterThan(0)
    device.close()
  })
})

/** The robot counts elbow and wrist the other way round in degrees; the policy has a gripper that it lacks. */
const jointMap: JointMap = {
  version: 1,
  joints: [
    { from: 'b', to: 'elbow', sign: -1, scale: 0.5, offset: 10 },
    { from: 'a', to: 'shoulder', sign: 1, scale: 2, offset: 0 },
  ],
  held: [{ joint: 'lamp', value: 7 }],
  dropped: ['c'],
}
const places = {
  ...{ joint_map: jointMap, policy_joints: ['a', 'b', 'c'], robot_joints: ['lamp', 'shoulder', 'elbow'] },
  ...{ inputs: { obs: ['positions'] }, outputs: { actions: 'positions' }, rest: { c: 4 } },
}

describeOnce('a link whose session has a map of joints', () => {
  const approved = { joint_map: fingerprintOf(jointMap) }
  async function mapped(claims = approved): Promise<Device> {
    count += 1
    return connect(server.address, { api_key: await server.keys.token(`esess_${count}`, { claims }) })
  }

  it('turns what the robot sends into the numbers of the policy, and its actions into those of the robot', async () => {
    const device = await mapped()
    expect(device.metadata).toMatchObject(approved)
    expect(await device.ask(places)).toEqual(approved)
    // shoulder 2 is 1 of the policy, elbow 9 is 2, and the gripper is seen where it rests.
    const { actions } = await device.ask({ obs: [7, 2, 9] })
    expect(actions).toEqual(
      actionsFor([1, 2, 4]).map(([a = 0, b = 0]) => [7, Math.fround(2 * a), Math.fround(-0.5 * b + 10)]),
    )
    const batch = await device.ask({
      obs: [
        [7, 2, 9],
        [0, 4, 10],
      ],
    })
    expect(batch.actions).toHaveLength(2)
    device.close()
  })

  it('leaves numbers as they are for a driver that applies the map itself', async () => {
    const device = await mapped()
    expect((await device.ask({ obs: [1, 2, 3] })).actions).toEqual(actionsFor([1, 2, 3]))
    device.close()
  })

  it.each([
    [
      'is not the approved one',
      { ...places, joint_map: { ...jointMap, held: [{ joint: 'lamp', value: 8 }] } },
      'approved for',
    ],
    ['is faulty', { ...places, joint_map: { ...jointMap, joints: [{ from: 'a' }] } }, 'faulty: joint_map.joints.0.to'],
    ['does not cover the joints', { ...places, policy_joints: ['a', 'b', 'c', 'd'] }, 'neither uses nor drops d'],
    ['names a joint twice', { ...places, policy_joints: ['a', 'b', 'b'] }, 'names a joint twice'],
    ['names an input that is none', { ...places, inputs: { state: ['positions'] } }, 'no input "state"'],
  ])('refuses a map that %s, with the reason', async (_name, frame, reason) => {
    const device = await mapped()
    expect(await device.ask(frame)).toEqual({ error: expect.stringContaining(reason) })
    expect(await device.ended()).toEqual({ code: 1008, reason: 'bad_frame' })
  })

  it('refuses one that was not approved, one that comes late, and rows of another width', async () => {
    const plain = await linked()
    expect(await plain.ask(places)).toEqual({ error: expect.stringContaining('The session has no map of joints') })
    const late = await mapped()
    await late.ask({ obs: [1, 2, 3] })
    expect(await late.ask(places)).toEqual({ error: expect.stringContaining('before any observation') })
    const wide = await mapped()
    await wide.ask(places)
    expect(await wide.ask({ obs: [1, 2, 3, 4] })).toEqual({ error: '"obs" has 4 numbers in a row, not 3.' })
  })
})

describeOnce('openpi’s client', () => {
  /** `{"obs": np.array([1, 2, 3], dtype=np.float32)}`, as Python's msgpack and NumPy wrote it. */
  const recorded =
    '81a36f627384c40b5f5f6e6461727261795f5fc3c40464617461c40c0000803f0000004000004040c4056474797065a33c6634c40573686170659103'

  it('gets its metadata in MessagePack, and arrays that NumPy reads', async () => {
    const device = await linked(null)
    expect(Buffer.isBuffer(device.metadata)).toBe(true)
    expect(unpacked(device.metadata)).toMatchObject({ protocol: 'policy/1' })
    device.socket.send(Buffer.from(recorded, 'hex'))
    const answer = (await device.next()) as Buffer
    const { actions, server_timing: timing } = unpacked(answer) as { actions: unknown; server_timing: unknown }
    expect(actions).toEqual({
      __ndarray__: true,
      data: expect.any(Uint8Array),
      dtype: '<f4',
      shape: [4, 3],
    })
    const { data } = actions as { data: Uint8Array }
    expect([...new Float32Array(Uint8Array.from(data).buffer)]).toEqual(actionsFor([1, 2, 3]).flat())
    expect(timing).toEqual({ infer_ms: expect.any(Number) })
    // Its keys are bytes: Python looks for b"__ndarray__".
    expect(answer.includes(Buffer.concat([Uint8Array.of(0xc4, 11), Buffer.from('__ndarray__')]))).toBe(true)
    device.close()
  })

  it.each<[string, Buffer]>([
    ['doubles', packedArray('<f8', [3], new Uint8Array(Float64Array.of(1, 2, 3).buffer))],
    ['whole numbers', packedArray('<i8', [3], new Uint8Array(BigInt64Array.of(1n, 2n, 3n).buffer))],
    ['bytes', packedArray('|u1', [3], Uint8Array.of(1, 2, 3))],
    ['a list', Buffer.from(encode([1, 2, 3]))],
    ['a batch of one', packedArray('<f4', [1, 3], f4(1, 2, 3))],
  ])('may send %s', async (_, obs) => {
    const device = await linked(null)
    device.socket.send(packedMap({ obs }))
    const { actions } = unpacked(await device.next()) as { actions: { data: Uint8Array } }
    expect([...new Float32Array(Uint8Array.from(actions.data).buffer)]).toEqual(actionsFor([1, 2, 3]).flat())
    device.close()
  })
})

describe('a bad frame', () => {
  const deep = Buffer.concat([Buffer.alloc(100_000, 0x91), Uint8Array.of(0xc0)])
  const claims = Buffer.concat([packedMap({ obs: Buffer.from('ddffffffff', 'hex') })])
  const manyClaims = Buffer.concat([
    Uint8Array.of(0x81, 0xa3),
    Buffer.from('obs'),
    Buffer.from('dcffff'.repeat(15), 'hex'),
  ])
  itOnce.each<[string, string | Buffer, RegExp]>([
    ['that is not JSON', '{', /not JSON/],
    ['that is not an object', '[1]', /not a JSON object/],
    ['without an input', '{}', /"obs" is missing/],
    ['with an input too many', '{"obs":[1,2,3],"prompt":"go"}', /no input "prompt"; it takes "obs"/],
    ['of another shape', '{"obs":[1,2]}', /has the shape \[1,2\], not \[batch,3\]/],
    ['of ragged rows', '{"obs":[[1,2,3],[4]]}', /rows differ in length/],
    ['of too many dimensions', `{"obs":${'['.repeat(50)}1${']'.repeat(50)}}`, /more than 16 dimensions/],
    ['nested without end', `{"obs":${'['.repeat(200_000)}${']'.repeat(200_000)}}`, /not JSON|more than 16/],
    ['with a text', '{"obs":["a",2,3]}', /"a" is not a number/],
    ['with a null', '{"obs":[null,2,3]}', /null is not a number/],
    ['with a number beyond all', '{"obs":[1,-1e999,3]}', /"obs" has -Infinity at place 1/],
    ['with a number beyond its type', '{"obs":[1,2,1e39]}', /"obs" has Infinity at place 2/],
    ['with NaN', packedMap({ obs: packedArray('<f4', [3], f4(Number.NaN, 2, 3)) }), /"obs" has NaN at place 0/],
    ['with no numbers', '{"obs":[]}', /has the shape/],
    [
      'with an empty batch',
      Buffer.from(packedMap({ obs: packedArray('<f4', [0, 3], new Uint8Array()) })),
      /has the shape \[0,3\]/,
    ],
    ['of random bytes', Buffer.concat([Uint8Array.of(0xc1), randomBytes(100)]), /not MessagePack/],
    ['that ends early', Buffer.from('81a36f6273', 'hex'), /in the middle/],
    ['that goes on', Buffer.concat([encode({ obs: [1, 2, 3] }), encode(1)]), /goes on/],
    ['that nests without end', deep, /levels deep/],
    ['that claims 4 billion elements', claims, /claims more|in the middle/],
    ['that claims 65,535 elements fifteen times', manyClaims, /claims more/],
    ['with an array whose bytes are too few', packedMap({ obs: packedArray('<f4', [3], f4(1, 2)) }), /has 8 bytes/],
    ['with an array of 2^31 elements', packedMap({ obs: packedArray('<f4', [2 ** 31], f4(1)) }), /has 4 bytes/],
    ['with an array of objects', packedMap({ obs: packedArray('|O', [3], f4(1)) }), /Arrays of "\|O" are not read/],
    ['with a big-endian array', packedMap({ obs: packedArray('>f4', [3], f4(1, 2, 3)) }), /not read/],
    [
      'with an array without a shape',
      encode({ obs: { __ndarray__: true, data: new Uint8Array(12), dtype: '<f4' } }) as Buffer,
      /lacks/,
    ],
  ])('%s closes its link with a reason', async (_, frame, reason) => {
    const [device, other] = [await linked(), await linked()]
    device.socket.send(frame)
    expect(await device.next()).toEqual({ error: expect.stringMatching(reason) })
    expect(await device.ended()).toEqual({ code: 1008, reason: 'bad_frame' })
    expect((await other.ask({ obs: [1, 2, 3] })).actions).toEqual(actionsFor([1, 2, 3]))
    other.close()
  })

  itOnce('over 8 MiB closes its link', async () => {
    const device = await linked()
    device.socket.send(Buffer.alloc(MAX_FRAME_BYTES + 1))
    expect((await device.ended()).code).toBe(1009)
    const ended = () => server.book.states().find(({ session_id: id }) => id === device.metadata.session_id)
    await until(() => ended()?.closed_reason === 'frame_too_large')
  })

  itOnce('too many at once close a link that does not wait for its answers', async () => {
    const device = await linked()
    for (let frame = 0; frame < 400; frame += 1) device.socket.send('{"obs":[1,2,3]}')
    expect((await device.ended()).reason).toMatch(/too_fast|too_many_waiting/)
  })

  inTorture(() => {
    it('is not read from a client that does not read its answers', async () => {
      const device = await linked()
      device.socket.pause()
      const rows = JSON.stringify({ obs: Array.from({ length: 60_000 }, () => [1.234567, 2.345678, 3.456789]) })
      const id = String(device.metadata.session_id)
      const ended = () => server.book.states().find(({ session_id: one }) => one === id)?.closed_reason
      // Each answer is several times as large as its observation.
      for (let frame = 0; frame < 30 && !ended(); frame += 1) {
        await new Promise<void>((resolve) => device.socket.send(rows, () => resolve()))
        await until(() => ended() !== undefined || chunksOf(id) > frame)
      }
      expect(ended()).toBe('slow_reader')
      expect(MAX_UNREAD_BYTES).toBeLessThan(30 * rows.length)
      device.socket.terminate()
    })
  })

  const chunksOf = (id: string) => server.book.states().find(({ session_id: one }) => one === id)?.chunks_served ?? 0
})

itOnce('that does not upgrade is answered, and holds no place', async () => {
  expect((await fetch(`http://${server.address}/healthz`)).status).toBe(200)
  expect((await fetch(`http://${server.address}/`)).status).toBe(426)
  const [host = '', port] = server.address.split(':')
  const socket = createConnection(Number(port), host)
  socket.write('GET / HTTP/1.1\r\nHost: x\r\nUpgrade: websocket\r\nConnection: Upgrade\r\napi_key: x\r\n\r\n')
  const text = await new Promise<string>((resolve) => socket.once('data', (data) => resolve(data.toString())))
  expect(text).toMatch(/^HTTP\/1.1 401 Unauthorized\r\n/)
  await new Promise((resolve) => socket.once('close', resolve))
})

itOnce('an inference that never ends closes its link, and the model has failed', async () => {
  const stuck = await startListening(endlessPolicy(), 500)
  try {
    const device = await connect(stuck.address, { api_key: await stuck.keys.token('esess_1') })
    device.socket.send('{"obs":[1,2,3]}')
    expect(await device.ended()).toEqual({ code: 1011, reason: 'model_failed' })
  } finally {
    await stuck.close()
  }
})

inTorture(() => {
  it('a link that waits for a slow model stays, though it answers no ping meanwhile', async () => {
    const slow = await startListening(endlessPolicy(), 13_000)
    try {
      const device = await connect(slow.address, { api_key: await slow.keys.token('esess_1') })
      device.socket.send('{"obs":[1,2,3]}')
      expect(await device.ended()).toEqual({ code: 1011, reason: 'model_failed' })
    } finally {
      await slow.close()
    }
  })
})
