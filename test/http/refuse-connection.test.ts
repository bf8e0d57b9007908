import { connect } from 'node:net'
import { text } from 'node:stream/consumers'
import { describe, expect, it } from 'vitest'
import { contractHub } from '../support/hub.ts'

const hub = contractHub()

/** The hub's complete response to these bytes. */
async function answerTo(bytes: string): Promise<{ head: string; body: string }> {
  const { hostname, port } = new URL(hub.running.url)
  const socket = connect(Number(port), hostname)
  socket.write(bytes)
  const [head = '', body = ''] = (await text(socket)).split('\r\n\r\n')
  return { head, body }
}

describe('an invalid request', () => {
  it.each([
    ['headers over 16 KiB', `GET / HTTP/1.1\r\nhost: x\r\nx: ${'x'.repeat(17_000)}\r\n\r\n`, 431, 'too_large.headers'],
    ['bytes that are not HTTP', 'hello\r\n\r\n', 400, 'validation.request'],
    [
      'two content lengths',
      'POST / HTTP/1.1\r\nhost: x\r\ncontent-length: 1\r\ncontent-length: 2\r\n\r\n',
      400,
      'validation.request',
    ],
  ])('(%s) is answered with a Problem and closed', async (_what, bytes, status, type) => {
    const { head, body } = await answerTo(bytes)
    expect(head).toMatch(new RegExp(`^HTTP/1.1 ${status} `))
    expect(head).toMatch(/content-type: application\/problem\+json/i)
    expect(JSON.parse(body)).toMatchObject({ status, type: `/problems/${type}` })
  })

  it('that expects what HTTP does not know is answered as any other', async () => {
    const { head, body } = await answerTo(
      'GET /v1/hardware_tiers HTTP/1.1\r\nhost: x\r\nexpect: 200-ok\r\nconnection: close\r\n\r\n',
    )
    expect(head).toMatch(/^HTTP\/1.1 200 /)
    expect(body).toContain('"items"')
  })

  it('of HEAD is answered without a body', async () => {
    const { head, body } = await answerTo(`HEAD /${'x'.repeat(17_000)} HTTP/1.1\r\nhost: x\r\n\r\n`)
    expect(head).toMatch(/^HTTP\/1.1 431 /)
    expect(body).toBe('')
  })

  it('has 30 s for its headers', () => {
    expect(hub.running.app.server.headersTimeout).toBe(30_000)
  })
})
