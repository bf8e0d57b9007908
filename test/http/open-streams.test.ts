import { createServer, type ServerResponse } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import type { FastifyRequest } from 'fastify'
import { expect, it } from 'vitest'
import { OpenStreams } from '../../src/http/open-streams.ts'

const asked = { ending: new AbortController() } as unknown as FastifyRequest

/** Serves one response that `work` writes, to a reader that takes nothing until it is told to; resolves to the bytes it took, and whether it was cut. */
async function served(streams: OpenStreams, work: (raw: ServerResponse) => Promise<void>, takeAfterMs: number) {
  let isWatched = true
  const server = createServer((_request, raw) => {
    raw.flushHeaders()
    void streams
      .during(asked, raw, () => work(raw))
      .then(() => {
        isWatched = false
      })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const reader = connect((server.address() as AddressInfo).port, '127.0.0.1')
  reader.on('error', () => undefined).write('GET / HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n')
  await delay(takeAfterMs)
  let text = ''
  for await (const piece of reader) text += (piece as Buffer).toString('latin1')
  await expect.poll(() => isWatched).toBe(false)
  await new Promise((resolve) => server.close(resolve))
  return { isWhole: text.endsWith('0\r\n\r\n') }
}

/** Pieces far below what makes a response ask to be drained, each written when the one before has left. */
async function writePieces(raw: ServerResponse, count: number): Promise<void> {
  for (let n = 0; n < count && raw.writable; n += 1)
    await new Promise<void>((resolve) => raw.write('x'.repeat(8000), () => resolve()))
  raw.end()
}

it('cuts a stream of small pieces when its reader takes none of them', async () => {
  expect(await served(new OpenStreams(200), (raw) => writePieces(raw, 5000), 1500)).toEqual({ isWhole: false })
})

it('cuts one that has been written whole and is not taken', async () => {
  const write = async (raw: ServerResponse) => void raw.end('x'.repeat(40_000_000))
  expect(await served(new OpenStreams(200), write, 1500)).toEqual({ isWhole: false })
})

it('lets one that has nothing to send be quiet', async () => {
  const write = async (raw: ServerResponse) => {
    raw.write('one')
    await delay(1000)
    raw.end('two')
  }
  expect(await served(new OpenStreams(200), write, 10)).toEqual({ isWhole: true })
})
