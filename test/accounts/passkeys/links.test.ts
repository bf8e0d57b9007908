/** Contract, "Links that work once": redeemed with a passkey. */
import { beforeEach, describe, expect, it, vi } from 'vitest'
import { addAccountLink } from '../../../src/accounts/links/account-links.ts'
import { addInvitation } from '../../../src/accounts/links/invite.ts'
import { passwordTurns } from '../../../src/accounts/passwords/password-turns.ts'
import { noViewer } from '../../../src/operation/audit.ts'
import { contractHub, type Json, newName, type Person } from '../../support/hub.ts'
import { passkeys, typeOf } from '../../support/passkeys.ts'
import { cookieOf, PASSWORD, passwords } from '../../support/passwords.ts'

const hub = contractHub({}, { alone: true })
const { add, addTo, begin, forget, inputOf, isValid, meOf, newDevice, person, post, signIn } = passkeys(hub)
const { set, signIn: withPassword } = passwords(hub)
beforeEach(() => forget())

type Device = ReturnType<typeof newDevice>
const tokenOf = ({ path }: { readonly path: string }) => path.replace('/redeem#', '')
const link = async (kind: 'setup' | 'reset', account: Pick<Person, 'id'>) =>
  tokenOf(await hub.running.deps.db.withTx((tx) => addAccountLink(tx, noViewer, { kind, account })))
const invited = async () =>
  tokenOf(
    await hub.running.deps.db.withTx((tx) => addInvitation(tx, noViewer, { org: null, role: null, createdBy: null })),
  )
const begun = (token: string, who: Json = {}) => post('/auth/link/passkey/start', { token, ...who })
async function redeem(token: string, device: Device, who: Json = {}, headers: Record<string, string> = {}) {
  const { json } = await begun(token, who)
  const made = device.create(json.options)
  return post('/auth/link/passkey', { token, ceremony: json.ceremony, passkey_name: 'phone', ...made, ...who }, headers)
}
const byPassword = (token: string, body: Json = {}) => post('/auth/link', { token, password: PASSWORD, ...body })
const told = async (id: string) =>
  (await hub.sql<Json>('select action, after from audit_log where account_id = $1 order by id', [id])).map(
    ({ action, after }) => [action, after],
  )

describe('a setup', () => {
  it('gives an account its first passkey, signs in, and leaves what was open', async () => {
    const ada = await hub.person()
    const [device, token] = [newDevice(), await link('setup', ada)]
    const answer = await redeem(token, device)
    expect([answer.status, answer.text, await meOf(answer)]).toEqual([204, '', ada.handle])
    expect([await isValid(ada.token), await meOf(await signIn(device))]).toEqual([true, ada.handle])
    expect((await told(ada.id))[3]).toEqual([
      'passkey.add',
      { name: 'phone', rpId: 'localhost', backedUp: true, by: 'setup' },
    ])
  })

  it('does nothing for an account that has a passkey by then, whichever way is chosen', async () => {
    const ada = await hub.person()
    const token = await link('setup', ada)
    const { json } = await begun(token)
    const made = newDevice().create(json.options)
    await addTo(ada)
    expect((await byPassword(token)).status).toBe(401)
    const answer = await post('/auth/link/passkey', { token, ceremony: json.ceremony, passkey_name: 'x', ...made })
    expect([answer.status, answer.json.type]).toEqual([401, '/problems/auth.link'])
  })

  it('opened in two tabs, one with a passkey and one with a password, works in one of them', async () => {
    for (let round = 0; round < 3; round += 1) {
      const ada = await hub.person()
      const token = await link('setup', ada)
      const answers = await Promise.all([redeem(token, newDevice()), byPassword(token)])
      expect(answers.map(({ status }) => status).toSorted()).toEqual([204, 401])
      const ways = await hub.sql(
        'select account_id from passwords where account_id = $1 union all select account_id from passkeys where account_id = $1',
        [ada.id],
      )
      expect(ways).toHaveLength(1)
    }
  })
})

describe('a reset', () => {
  it('with a passkey removes the passkeys, the password and the sessions of before', async () => {
    const { person: ada, device: lost } = await person()
    await set(ada, PASSWORD)
    const device = newDevice()
    const answer = await redeem(await link('reset', ada), device)
    expect(answer.status).toBe(204)
    expect([await isValid(ada.token), await isValid(cookieOf(answer, 'hub_session') ?? '')]).toEqual([false, true])
    expect([(await signIn(lost)).status, (await withPassword(ada.handle, PASSWORD)).status]).toEqual([401, 401])
    expect((await signIn(device)).status).toBe(204)
    expect(await told(ada.id)).toContainEqual(['passkey.reset', { endedSessions: 1, removedPasskeys: 1 }])
  })

  it('with a password removes the passkeys of before too', async () => {
    const { person: ada, device: lost } = await person()
    expect((await byPassword(await link('reset', ada))).status).toBe(204)
    expect([(await signIn(lost)).status, (await withPassword(ada.handle, PASSWORD)).status]).toEqual([401, 204])
    expect(await told(ada.id)).toContainEqual(['password.reset', { endedSessions: 1, removedPasskeys: 1 }])
  })

  it('is stronger than a session or a passkey that is used at the same moment', async () => {
    for (let round = 0; round < 3; round += 1) {
      const { person: ada, device: lost } = await person()
      const { newPasskey } = (await begin(ada)).data
      const thief = newDevice()
      const input = inputOf(newPasskey.ceremony, thief.create(newPasskey.options as Json))
      const token = await link('reset', ada)
      const [raced, , reset] = await Promise.all([signIn(lost), add(ada, input), byPassword(token)])
      expect(reset.status).toBe(204)
      const session = cookieOf(raced, 'hub_session')
      expect([await isValid(ada.token), session !== null && (await isValid(session))]).toEqual([false, false])
      expect([(await signIn(thief)).status, (await signIn(lost)).status]).toEqual([401, 401])
      await forget()
    }
  })
})

describe('a first password', () => {
  it('that a session of before a reset was still having hashed is none', async () => {
    const ada = await hub.person()
    const [entered, gate] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    const { take } = passwordTurns
    vi.spyOn(passwordTurns, 'take').mockImplementationOnce(async (asker, work) => {
      entered.resolve()
      await gate.promise
      return take.call(passwordTurns, asker, work) as never
    })
    const setting = set(ada, PASSWORD)
    await entered.promise
    const device = newDevice()
    expect((await redeem(await link('reset', ada), device)).status).toBe(204)
    gate.resolve()
    expect(typeOf(await setting)).toBe('/problems/auth.invalid')
    expect((await withPassword(ada.handle, PASSWORD)).status).toBe(401)
    expect((await signIn(device)).status).toBe(204)
  })
})

describe('an invitation', () => {
  it('makes an account with a passkey and no password', async () => {
    const [device, handle, token] = [newDevice(), newName('new'), await invited()]
    const answer = await redeem(token, device, { handle, name: 'Nora New' })
    expect([answer.status, await meOf(answer)]).toEqual([204, handle])
    expect(await meOf(await signIn(device))).toBe(handle)
  })

  it('asks no device for a handle that is taken, ill-formed or missing, and still works after that', async () => {
    const [ada, token] = [await hub.person(), await invited()]
    expect((await begun(token, { handle: ada.handle })).status).toBe(409)
    expect((await begun(token, { handle: 'Not A Handle' })).status).toBe(422)
    expect((await begun(token)).status).toBe(422)
    expect((await begun('x', { handle: newName() })).json.type).toBe('/problems/auth.link')
    expect((await redeem(token, newDevice(), { handle: newName() })).status).toBe(204)
  })
})

describe('a ceremony of a link', () => {
  it('is of that link and handle, from a page of this hub, and counts once', async () => {
    const [token, other] = [await invited(), await invited()]
    const who = { handle: newName() }
    const { json } = await begun(token, who)
    const made = newDevice().create(json.options)
    const send = (body: Json, headers: Record<string, string> = {}) =>
      post(
        '/auth/link/passkey',
        { token, ceremony: json.ceremony, passkey_name: 'x', ...made, ...who, ...body },
        headers,
      )
    expect((await send({}, { origin: 'https://elsewhere.test' })).status).toBe(403)
    expect((await send({ token: other })).status).toBe(422)
    expect((await send({ handle: newName() })).status).toBe(422)
    expect((await send({ passkey_name: '' })).status).toBe(422)
    expect((await send({ transports: ['a\u0000b'] })).status).toBe(422)
    expect((await send({})).status).toBe(204)
    expect((await send({})).status).toBe(401)
    const ada = await hub.person()
    expect(typeOf(await add(ada, inputOf(json.ceremony, made)))).toBe('/problems/validation.value')
  })
})
