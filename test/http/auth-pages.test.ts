import Fastify, { type FastifyInstance } from 'fastify'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { registerAuthErrors } from '../../src/http/auth-errors.ts'
import { HubError } from '../../src/platform/errors.ts'

describe('what fails below /auth/', () => {
  let app: FastifyInstance
  beforeAll(async () => {
    app = Fastify()
    await app.register(async (scope) => {
      registerAuthErrors(scope)
      scope.get('/auth/callback', async () => {
        throw new HubError('auth.invalid', 'The sign-in of <b>you</b> expired.')
      })
      scope.post('/auth/session', async () => {
        throw new HubError('forbidden.origin', 'Not from here.')
      })
    })
  })
  afterAll(() => app.close())

  const browser = { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' }
  const ask = (method: 'GET' | 'POST', url: string, headers: Record<string, string> = {}) =>
    app.inject({ method, url, headers })

  it.each([
    ['GET', '/auth/callback', 401],
    ['POST', '/auth/session', 403],
    ['GET', '/auth/nothing', 404],
    ['POST', '/auth/nothing/here', 404],
  ] as const)('is a page for a browser, a Problem for a program: %s %s', async (method, url, status) => {
    const page = await ask(method, url, browser)
    expect([page.statusCode, page.headers['content-type']]).toEqual([status, 'text/html; charset=utf-8'])
    expect(page.body).toContain('href="/login"')
    expect(page.body).not.toContain('"status"')
    const problem = await ask(method, url, { accept: 'application/json' })
    expect([problem.statusCode, problem.headers['content-type']]).toEqual([
      status,
      'application/problem+json; charset=utf-8',
    ])
    expect(problem.json().status).toBe(status)
    expect((await ask(method, url)).headers['content-type']).toContain('application/problem+json')
  })

  it('never becomes HTML of its own, is kept by no cache, and the page runs no script', async () => {
    const { body, headers } = await ask('GET', '/auth/callback', browser)
    expect(body).toContain('The sign-in of &#60;b&#62;you&#60;/b&#62; expired.')
    expect(headers['cache-control']).toBe('no-store')
    expect(headers['content-security-policy']).toContain("default-src 'none'")
    expect(headers['content-security-policy']).not.toContain('script-src')
  })
})
