import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { text } from 'node:stream/consumers'
import { afterEach, describe, expect, it } from 'vitest'
import { Connections } from '../../src/http/connections.ts'
import { StreamOutlet } from '../../src/http/stream-outlet.ts'

const WINDOW_MS = 30_000
const MIN_BYTES = 16 * 1024

const closers: (() => Promise<void>)[] = []
afterEach(async () => {
  for (const close of closers.splice(0)) await close()
})

/** A server with a manual clock, and the server side of each of its connections. */
async function serve(answer: (request: IncomingMessage, raw: ServerResponse) => void) {
  let nowMs = 0
  const sockets: Socket[] = []
  const server = createServer(answer)
  const connections = new Connections(server, {}, () => nowMs)
  server.on('connection', (socket: Socket) => sockets.push(socket))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  closers.push(async () => {
    for (const socket of sockets) socket.destroy()
    await new Promise((resolve) => server.close(resolve))
  })
  return {
    connections,
    /** Opens a connection that sends `head` and reads nothing. */
    async open(head: string) {
      const peer = connect((server.address() as AddressInfo).port, '127.0.0.1').on('error', () => undefined)
      peer.write(head)
      await expect.poll(() => sockets.at(-1)?.bytesRead).toBe(head.length)
      return { peer, socket: sockets.at(-1) as Socket }
    },
    /** Advances the clock, and checks the connections as often as the timer of a shutdown does, and at the end. */
    pass(ms: number) {
      const end = nowMs + ms
      do {
        nowMs = Math.min(end, nowMs + 50)
        connections.check()
      } while (nowMs < end)
    },
    /** Advances the clock, then checks the connections for the first time. */
    standStill(ms: number) {
      nowMs += ms
      connections.check()
    },
  }
}

const post = (bytes: number) => `POST / HTTP/1.1\r\nhost: x\r\ncontent-length: ${bytes}\r\n\r\n`
const get = 'GET / HTTP/1.1\r\nhost: x\r\n\r\n'
const count = (request: IncomingMessage, raw: ServerResponse) => {
  let bytes = 0
  request.on('error', () => undefined)
  request.on('data', (piece: Buffer) => (bytes += piece.byteLength))
  request.on('end', () => raw.end(String(bytes)))
}

describe('a body', () => {
  it('that stalls is cut off with a response', async () => {
    const server = await serve(count)
    const { peer, socket } = await server.open(`${post(100)}half`)
    server.pass(0)
    server.pass(WINDOW_MS - 1)
    expect(socket.destroyed).toBe(false)
    server.pass(1)
    expect(socket.destroyed).toBe(true)
    const answer = await text(peer)
    expect(answer).toMatch(/^HTTP\/1\.1 408 [\s\S]*application\/problem\+json/)
    expect(JSON.parse(answer.split('\r\n\r\n')[1] ?? '')).toMatchObject({
      type: '/problems/timeout.request',
      status: 408,
      detail: expect.stringContaining('send the request again'),
    })
  })

  it('that only trickles is cut off', async () => {
    const server = await serve(count)
    const { peer, socket } = await server.open(post(1_000_000))
    for (let n = 0; n < 4 && !socket.destroyed; n += 1) {
      const before = socket.bytesRead
      peer.write('x')
      await expect.poll(() => socket.bytesRead).toBe(before + 1)
      server.pass(WINDOW_MS / 3)
    }
    expect(socket.destroyed).toBe(true)
  })

  it('that is slow but steady is never cut off', async () => {
    const server = await serve(count)
    const { peer, socket } = await server.open(post(50 * 1024 ** 3))
    for (let hours = 0; hours < 10; hours += 1) {
      const before = socket.bytesRead
      peer.write('x'.repeat(MIN_BYTES))
      await expect.poll(() => socket.bytesRead).toBe(before + MIN_BYTES)
      server.pass(WINDOW_MS - 1)
    }
    expect(socket.destroyed).toBe(false)
  })

  it('that the hub has not read yet does not count as stalled', async () => {
    const server = await serve((request) => request.pause())
    const { peer, socket } = await server.open(post(1000))
    peer.write('x'.repeat(900))
    await expect.poll(() => socket.bytesRead).toBe(post(1000).length + 900)
    for (let n = 0; n < 5; n += 1) server.pass(WINDOW_MS)
    expect(socket.destroyed).toBe(false)
  })

  it('that came while the hub itself stood still does not count as stalled', async () => {
    const server = await serve(count)
    const { socket } = await server.open(`${post(100)}half`)
    server.pass(0)
    server.standStill(10 * WINDOW_MS)
    expect(socket.destroyed).toBe(false)
    server.pass(WINDOW_MS)
    expect(socket.destroyed).toBe(true)
  })
})

describe('a response', () => {
  it('that is not read is cut off, even if it was written at once', async () => {
    const server = await serve((_request, raw) => raw.end('x'.repeat(40_000_000)))
    const { socket } = await server.open(get)
    await expect.poll(() => socket.writableLength).toBeGreaterThan(0)
    server.pass(0)
    server.pass(WINDOW_MS - 1)
    expect(socket.destroyed).toBe(false)
    server.pass(1)
    expect(socket.destroyed).toBe(true)
  })

  it('of many small pieces that is not read is cut off', async () => {
    const server = await serve((_request, raw) => {
      const outlet = new StreamOutlet(raw)
      const more = async () => {
        while (await outlet.write('x'.repeat(8000)));
      }
      void more()
    })
    const { socket } = await server.open(get)
    await expect.poll(() => socket.writableLength).toBeGreaterThan(0)
    server.pass(0)
    server.pass(WINDOW_MS)
    expect(socket.destroyed).toBe(true)
  })

  it('that is read slowly arrives, even if it was written at once', async () => {
    const bytes = 20_000_000
    const server = await serve((_request, raw) => {
      const outlet = new StreamOutlet(raw)
      void outlet.write('x'.repeat(bytes))
      outlet.end()
    })
    const { peer, socket } = await server.open(get)
    let taken = 0
    peer.on('readable', () => undefined)
    const hasLeft = () => socket.bytesWritten - socket.writableLength
    for (let windows = 0; taken < bytes; windows += 1) {
      const before = hasLeft()
      // In each window the client reads enough for the server to notice.
      await expect
        .poll(
          () => {
            taken += (peer.read() as Buffer | null)?.byteLength ?? 0
            return taken >= bytes || hasLeft() >= before + MIN_BYTES
          },
          { interval: 1, timeout: 100_000 },
        )
        .toBe(true)
      server.pass(WINDOW_MS - 1)
      expect([windows, socket.destroyed && taken < bytes]).toEqual([windows, false])
    }
  })

  it('that has no data yet may be idle', async () => {
    const server = await serve((_request, raw) => void raw.write('one'))
    const { socket } = await server.open(get)
    await expect.poll(() => socket.bytesWritten).toBeGreaterThan(0)
    for (let n = 0; n < 5; n += 1) server.pass(WINDOW_MS)
    expect(socket.destroyed).toBe(false)
  })
})

describe('a shutdown', () => {
  it('does not wait for connections without a request, with half a request, or with a finished response', async () => {
    const server = await serve((_request, raw) => raw.end('done'))
    const silent = await server.open('')
    await expect.poll(() => silent.socket).toBeDefined()
    const half = await server.open('GET / HTTP/1.1\r\nho')
    const answered = await server.open(get)
    await expect.poll(() => answered.socket.bytesWritten).toBeGreaterThan(0)
    server.connections.stop()
    for (const { socket } of [silent, half, answered]) await expect.poll(() => socket.destroyed).toBe(true)
  })

  it('waits two seconds for stalled connections, and longer for active ones', async () => {
    const server = await serve(count)
    const stalled = await server.open(post(100))
    const moving = await server.open(post(1_000_000))
    server.connections.stop()
    for (let n = 0; n < 4; n += 1) {
      const before = moving.socket.bytesRead
      moving.peer.write('x'.repeat(1024))
      await expect.poll(() => moving.socket.bytesRead).toBe(before + 1024)
      server.pass(1000)
    }
    expect([stalled.socket.destroyed, moving.socket.destroyed]).toEqual([true, false])
  })
})
