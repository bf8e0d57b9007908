import { once } from 'node:events'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createDouble } from '@hub/testing/double'
import { afterEach, describe, expect, it } from 'vitest'
import { createHubClient } from '../src/internal.ts'
import { sseParser } from '../src/sse-parser.ts'

const text = (...lines: string[]) => Buffer.from(lines.join('\n'))

describe('the event parser', () => {
  const stream = text(
    ': hello',
    'retry: 150',
    '',
    'event: log',
    'id: 1.1-0',
    'data: {"line":"grüße 🤖"}',
    '',
    'data:a',
    'data: b',
    '',
    'id: 7',
    '',
    '',
  )
  const whole = [
    { event: 'log', data: '{"line":"grüße 🤖"}', id: '1.1-0' },
    { event: 'message', data: 'a\nb', id: '1.1-0' },
  ]

  it.each([
    ['\n', stream],
    ['\r\n', Buffer.from(stream.toString().replaceAll('\n', '\r\n'))],
    ['\r', Buffer.from(`${stream.toString().replaceAll('\n', '\r')}: end\r`)],
  ])('yields the same events however the bytes are split, with line ends %j', (_, bytes) => {
    for (let size = 1; size <= bytes.length; size += 1) {
      const parser = sseParser()
      const found = []
      for (let at = 0; at < bytes.length; at += size) found.push(...parser.push(bytes.subarray(at, at + size)))
      expect([size, found, parser.retryMs]).toEqual([size, whole, 150])
    }
  })
  it('throws on an event that never ends', () => {
    const parser = sseParser()
    const push = () => {
      for (let n = 0; n < 20; n += 1) parser.push(Buffer.from(`data: ${'x'.repeat(1_000_000)}\n`))
    }
    expect(push).toThrow('too long')
  })
})

describe('following a log', () => {
  let close = async () => {}
  afterEach(() => close())

  /** A hub that answers its n-th connection with the n-th handler. */
  async function hub(...answers: ((request: IncomingMessage, response: ServerResponse) => void)[]) {
    const asked: string[] = []
    const server = createDouble((request, response) => {
      asked.push(`${request.url} ${request.headers['last-event-id'] ?? ''}`)
      answers[Math.min(asked.length, answers.length) - 1]?.(request, response)
    }).listen(0, '127.0.0.1')
    await once(server, 'listening')
    close = async () => {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    }
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
    const retry = { attempts: 3, baseMs: 1, maxMs: 2, random: () => 0 }
    return { asked, client: createHubClient({ url, token: 'hub_key_x', retry }) }
  }
  const log = (id: string, line: string) =>
    `event: log\nid: ${id}\ndata: {"ts":"2026-01-01T00:00:00.000Z","stream":"stdout","line":"${line}"}\n\n`
  const sends = (body: string) => (_: IncomingMessage, response: ServerResponse) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    response.write(`retry: 1\n\n${body}`, () => response.destroy())
  }
  const end = 'event: end\nid: 2.1-1\ndata: {"status":"succeeded"}\n\n'

  it('resumes where the connection broke, without repeating the tail option', async () => {
    const { asked, client } = await hub(
      sends(log('1.1-0', 'one')),
      (_, response) => response.writeHead(503).end('{}'),
      sends(`${log('1.2-0', 'two')}event: new\nid: 9\ndata: {}\n\nevent: metric\nid: 1.2-1\ndata: {"reward":1}\n\n`),
      sends(end),
    )
    const events = []
    for await (const event of client.runs.follow('run_1', { follow: true, tail: 5, stripAnsi: true }))
      events.push(event)
    expect(events.map((event) => (event.kind === 'log' ? event.line : event.kind))).toEqual([
      'one',
      'two',
      'metric',
      'end',
    ])
    expect(asked).toEqual([
      '/v1/runs/run_1/logs?follow=true&tail=5&strip_ansi=true ',
      '/v1/runs/run_1/logs?follow=true&strip_ansi=true 1.1-0',
      '/v1/runs/run_1/logs?follow=true&strip_ansi=true 1.1-0',
      '/v1/runs/run_1/logs?follow=true&strip_ansi=true 1.2-1',
    ])
  })
  it('rejects with the error of the hub like any other call', async () => {
    const { client } = await hub((_, response) =>
      response
        .writeHead(404, { 'content-type': 'application/problem+json' })
        .end('{"type":"x/not_found","status":404}'),
    )
    await expect(client.runs.follow('run_1', { follow: true }).next()).rejects.toMatchObject({ status: 404 })
  })
  it('gives up on a hub that stays unreachable', async () => {
    const { asked, client } = await hub((request) => request.socket.destroy())
    await expect(client.runs.follow('run_1', { follow: true }).next()).rejects.toThrow('cannot be reached')
    expect(asked.length).toBe(3)
  })
})
