/** A device's end of a link. */
import { once } from 'node:events'
import { encode } from '@msgpack/msgpack'
import { WebSocket } from 'ws'

export interface Device {
  readonly socket: WebSocket
  /** The first frame. */
  readonly metadata: Record<string, unknown>
  /** The next frame: an object from text, bytes as they are. */
  next(): Promise<unknown>
  /** Sends JSON and returns the answer. */
  ask(observation: object): Promise<Record<string, never>>
  /** How the link ended. */
  ended(): Promise<{ readonly code: number; readonly reason: string }>
  close(): void
}

export type Presented = Readonly<Record<string, string>>

/** Opens a link; rejects with `Refused` if the server does. */
export async function connect(
  address: string,
  headers: Presented,
  protocol: string | null = 'policy.json',
): Promise<Device> {
  const socket = new WebSocket(`ws://${address}/`, protocol === null ? [] : [protocol], { headers })
  const frames: unknown[] = []
  const waiting: ((frame: unknown) => void)[] = []
  const closed = Promise.withResolvers<{ code: number; reason: string }>()
  socket.on('message', (data: Buffer, isBinary) => {
    const frame = isBinary ? data : JSON.parse(data.toString())
    const waiter = waiting.shift()
    if (waiter) waiter(frame)
    else frames.push(frame)
  })
  socket.on('close', (code, reason) => closed.resolve({ code, reason: reason.toString() }))
  await new Promise<void>((resolve, reject) => {
    socket.once('open', resolve)
    socket.once('error', reject)
    socket.once('unexpected-response', (_, response) => {
      reject(new Refused(response.statusCode ?? 0))
      response.destroy()
    })
  })
  socket.on('error', () => {})
  const next = () => {
    const frame = frames.shift()
    if (frame !== undefined) return Promise.resolve(frame)
    return Promise.race([
      new Promise((resolve) => waiting.push(resolve)),
      closed.promise.then(({ reason }) => ({ closed: reason })),
    ])
  }
  const metadata = (await next()) as Record<string, unknown>
  return {
    socket,
    metadata,
    next,
    async ask(observation) {
      socket.send(JSON.stringify(observation))
      return (await next()) as Record<string, never>
    },
    ended: () => closed.promise,
    close: () => socket.close(1000),
  }
}

/**
 * A link whose token expires seconds later, and that moment in seconds; a machine that is too busy to open it by then
 * gets longer ones. `token` signs one that expires at the given second.
 */
export async function connectUntilExpiry(
  address: string,
  token: (exp: number) => Promise<string>,
): Promise<{ readonly device: Device; readonly token: string; readonly exp: number }> {
  for (let seconds = 3; ; seconds *= 2) {
    const exp = Math.floor(Date.now() / 1000) + seconds
    const signed = await token(exp)
    try {
      return { device: await connect(address, { api_key: signed }), token: signed, exp }
    } catch (error) {
      if (!(error instanceof Refused) || seconds > 50) throw error
    }
  }
}

class Refused extends Error {
  readonly status: number

  constructor(status: number) {
    super(`refused with ${status}`)
    this.status = status
  }
}

/** The status of a refusal; 101 where the link opened (and is closed again). */
export async function statusOf(address: string, headers: Presented): Promise<number> {
  try {
    const device = await connect(address, headers)
    device.close()
    await once(device.socket, 'close')
    return 101
  } catch (error) {
    if (error instanceof Refused) return error.status
    throw error
  }
}

/** An array as NumPy's users of MessagePack write it: its keys are bytes. */
export function packedArray(dtype: string, shape: readonly number[], data: Uint8Array): Buffer {
  const key = (name: string) => encode(Buffer.from(name))
  return Buffer.concat([
    Uint8Array.of(0x84),
    ...[key('__ndarray__'), encode(true), key('data'), encode(data)],
    ...[key('dtype'), encode(dtype), key('shape'), encode([...shape])],
  ])
}

/** A map of values that are already packed. */
export const packedMap = (members: Readonly<Record<string, Uint8Array>>): Buffer =>
  Buffer.concat([
    Uint8Array.of(0x80 | Object.keys(members).length),
    ...Object.entries(members).flatMap(([name, value]) => [encode(name), value]),
  ])
