// @module-tag processes
/** Contract, "Links that work once": those that the operator gets, from a first start and from the command line. */
import { describe, expect, it } from 'vitest'
import { runHub } from '../../support/command-line.ts'
import { PASSWORD } from '../../support/passwords.ts'
import { printingHub } from '../../support/printing-hub.ts'

const OPERATOR = 'the-operator'
const hub = printingHub({ PUBLIC_URL: 'http://hub.example', OPERATOR_HANDLE: OPERATOR })

const tokenIn = (text: string) => /\/redeem#([A-Za-z0-9_-]{43})/.exec(text)?.[1] ?? ''

async function post(path: string, body: object) {
  const response = await fetch(`${hub.url}${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', origin: 'http://hub.example' },
    body: JSON.stringify(body),
  })
  return { status: response.status, text: await response.text() }
}
const redeem = (token: string, more: object = {}) => post('/auth/link', { token, password: PASSWORD, ...more })

const onHub = async (...args: string[]) => {
  const { code, out, err } = await runHub(args, hub.settings())
  return { code, out, err }
}

describe('a first start', () => {
  it('prints a setup link for the operator once, in no line of the log, and it sets a password', async () => {
    const token = tokenIn(hub.printed)
    expect(hub.printed).toContain(`http://hub.example/redeem#${token}`)
    const logged = hub.printed.split('\n').filter((line) => line.startsWith('{'))
    expect(logged.length).toBeGreaterThan(0)
    expect(logged.filter((line) => line.includes(token))).toEqual([])
    expect((await redeem(token)).status).toBe(204)
    expect((await post('/auth/password', { handle: OPERATOR, password: PASSWORD })).status).toBe(204)
    expect((await redeem(token)).status).toBe(401)
    await hub.stop()
    await hub.start()
    expect(hub.printed).not.toContain('/redeem#')
  })
})

describe('the command line', () => {
  it('prints an invitation into an org, with its role', async () => {
    await onHub('org', 'add', 'acme')
    const made = await onHub('user', 'invite', '--org', 'acme', '--role', 'owner', '--json')
    expect([made.code, made.err]).toEqual([0, ''])
    const { url: link, expires_at: expiresAt } = JSON.parse(made.out)
    expect(link).toMatch(/^http:\/\/hub\.example\/redeem#/)
    const days = (Date.parse(expiresAt) - Date.now()) / 86_400_000
    expect([days > 6.9, days <= 7]).toEqual([true, true])
    expect((await redeem(tokenIn(link), { handle: 'ada' })).status).toBe(204)
    const roles = await hub.database.db.query({
      name: '',
      text: 'select a.handle, m.role from memberships m join accounts a on a.id = m.user_id',
    })
    expect(roles).toEqual([{ handle: 'ada', role: 'owner' }])
  })

  it('prints a link that sets a new password and ends all sessions', async () => {
    const session = JSON.parse((await onHub('session', 'add', 'ada', '--json')).out)
    const me = () => fetch(`${hub.url}/v1/me`, { headers: { authorization: `Bearer ${session.token}` } })
    expect((await me()).status).toBe(200)
    const made = await onHub('user', 'reset', 'ada')
    expect((await redeem(tokenIn(made.out), { password: `${PASSWORD}!` })).status).toBe(204)
    expect((await me()).status).toBe(401)
    expect((await post('/auth/password', { handle: 'ada', password: PASSWORD })).status).toBe(401)
  })

  it('names what is not there', async () => {
    for (const args of [
      ['reset', 'nobody'],
      ['invite', '--org', 'nobody'],
    ]) {
      const { code, out, err } = await onHub('user', ...args)
      expect([code, out]).toEqual([1, ''])
      expect(err).toContain('nobody')
    }
  })

  it('prints none where passwords are off', async () => {
    const { code, err } = await runHub(['user', 'reset', 'ada'], { ...hub.settings(), LOCAL_SIGN_IN: 'no' })
    expect([code, err]).toEqual([1, expect.stringContaining('LOCAL_SIGN_IN=no')])
  })
})
