import { CannotListen } from '@hub/formats/listen-address'
import Fastify from 'fastify'
import { expect, it, onTestFinished } from 'vitest'
import { listenEarly } from '../../src/http/early-listener.ts'

const settings = { host: 'HOST', port: 'PORT' }

it.each(['127.0.0.1', 'localhost'])(
  '%s is held from the start, answers 503 until the hub is there, and then as the hub',
  async (host) => {
    const listener = await listenEarly({ host, port: 0, settings })
    onTestFinished(() => listener.release())
    const { port } = listener.address() as { port: number }
    const url = `http://${host}:${port}/`
    const early = await fetch(url)
    expect([early.status, early.headers.get('content-type')]).toEqual([503, 'application/problem+json; charset=utf-8'])
    expect(await early.json()).toMatchObject({ detail: 'The hub is starting; try again in a moment.' })
    await expect(listenEarly({ host: '127.0.0.1', port, settings })).rejects.toBeInstanceOf(CannotListen)
    const app = Fastify({ serverFactory: listener.factory })
    app.get('/', async () => 'the hub')
    await app.ready()
    expect((await fetch(url)).status).toBe(503)
    await app.listen({ host, port })
    expect(await (await fetch(url)).text()).toBe('the hub')
    await app.close()
    await expect(fetch(url)).rejects.toThrow()
  },
)
