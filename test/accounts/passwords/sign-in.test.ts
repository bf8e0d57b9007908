/** Contract, "Passwords": setting one, changing it, signing in with it. */
import { beforeEach, describe, expect, it } from 'vitest'
import { hashPassword } from '../../../src/accounts/passwords/password-hash.ts'
import { contractHub, type Json, newName } from '../../support/hub.ts'
import { cookieOf, PASSWORD, passwords } from '../../support/passwords.ts'

const hub = contractHub({}, { alone: true })
const { person, set, signIn, forget, isValid } = passwords(hub)
beforeEach(() => forget())

const OTHER = 'another horse, another battery'
const typeOf = ({ errors }: Json) => errors?.[0]?.extensions.problem.type
const placeOf = ({ errors }: Json) => errors?.[0]?.extensions.problem.errors[0].loc
const actions = (id: string) =>
  hub.sql<Json>('select action, after from audit_log where account_id = $1 order by id', [id])

describe('a person', () => {
  it('sets a password in a session that is new, signs in with it, and gets a cookie and no token', async () => {
    const ada = await hub.person()
    expect((await hub.graphql(ada, '{ ownPassword { changedAt } }')).data).toEqual({ ownPassword: null })
    expect((await set(ada, PASSWORD)).data.setPassword).toEqual({ changedAt: expect.any(String), endedSessions: 0 })
    const { data } = await hub.graphql(ada, '{ ownPassword { changedAt } }')
    expect(data.ownPassword?.changedAt).toMatch(/Z$/)
    const answer = await signIn(` @${ada.handle.toUpperCase()} `, PASSWORD)
    expect([answer.status, answer.text, answer.headers.get('cache-control')]).toEqual([204, '', 'no-store'])
    const line = answer.headers.getSetCookie().find((text) => text.startsWith('hub_session='))
    expect(line).toMatch(/^hub_session=eyJ[^;]+; Max-Age=\d+; Path=\/; HttpOnly; SameSite=Lax$/)
    const token = cookieOf(answer, 'hub_session') ?? ''
    expect((await hub.call(token, 'GET', '/v1/me')).json).toMatchObject({
      kind: 'session',
      account: { handle: ada.handle },
    })
    const told = await actions(ada.id)
    expect(told.map(({ action }) => action)).toEqual([
      'user.create',
      'session.create',
      'password.set',
      'session.create',
    ])
    expect(told.at(-1)?.after).toMatchObject({ way: 'password' })
    expect(JSON.stringify(told)).not.toContain('scrypt')
  })

  it('changes it with the current one, which ends all their other sessions', async () => {
    const ada = await person()
    const other = await hub.signIn(ada)
    const without = await set(ada, OTHER)
    expect([typeOf(without), placeOf(without)]).toEqual(['/problems/validation.required', ['input', 'currentPassword']])
    const wrong = await set(ada, OTHER, 'not the current one')
    expect([typeOf(wrong), placeOf(wrong)]).toEqual(['/problems/validation.value', ['input', 'currentPassword']])
    expect(await isValid(other.token)).toBe(true)
    expect((await set(ada, OTHER, PASSWORD)).data.setPassword).toMatchObject({ endedSessions: 1 })
    expect([await isValid(ada.token), await isValid(other.token)]).toEqual([true, false])
    expect((await signIn(ada.handle, PASSWORD)).status).toBe(401)
    expect((await signIn(ada.handle, OTHER)).status).toBe(204)
  })

  it('sets none in an old session, with a key, or where it is weak', async () => {
    const ada = await hub.person()
    expect(typeOf(await set(await hub.key(ada), PASSWORD))).toBe('/problems/forbidden.scope')
    expect(typeOf(await set(null, PASSWORD))).toBe('/problems/auth.missing')
    expect(placeOf(await set(ada, 'short'))).toEqual(['input', 'password'])
    await hub.sql(`update sessions set signed_in_at = now() - interval '16 minutes' where account_id = $1`, [ada.id])
    expect(typeOf(await set(ada, PASSWORD))).toBe('/problems/forbidden.old_sign_in')
    expect((await signIn(ada.handle, PASSWORD)).status).toBe(401)
  })

  it('spells it as any keyboard does', async () => {
    const ada = await hub.person()
    await set(ada, 'Grüße aus dem Süden')
    expect((await signIn(ada.handle, 'Grüße aus dem Süden'.normalize('NFD'))).status).toBe(204)
  })

  it('who signs in again leaves no session of this browser behind; another person in it does not end theirs', async () => {
    const [ada, bob] = [await person(), await person()]
    const first = cookieOf(await signIn(ada.handle, PASSWORD), 'hub_session') ?? ''
    const again = await signIn(ada.handle, PASSWORD, { cookie: `hub_session=${first}` })
    const second = cookieOf(again, 'hub_session') ?? ''
    expect([second === first, await isValid(first), await isValid(second)]).toEqual([false, false, true])
    expect((await signIn(bob.handle, PASSWORD, { cookie: `hub_session=${second}` })).status).toBe(204)
    expect(await isValid(second)).toBe(true)
  })
})

it('two changes at the same time: one of them holds, and the other says so', async () => {
  const ada = await person()
  const answers = await Promise.all([set(ada, OTHER, PASSWORD), set(ada, `${OTHER}!`, PASSWORD)])
  expect(answers.map(typeOf).toSorted()).toEqual(['/problems/validation.value', undefined])
  await forget()
  const statuses = [(await signIn(ada.handle, OTHER)).status, (await signIn(ada.handle, `${OTHER}!`)).status]
  expect(statuses.toSorted()).toEqual([204, 401])
})

it('a sign-in hashes again what has another cost, and changes nothing else', async () => {
  const ada = await person()
  const row = async () =>
    (await hub.sql<Json>('select hash, changed_at from passwords where account_id = $1', [ada.id]))[0]
  const before = await row()
  const dearer = await hashPassword(PASSWORD, { costLog2: 15, asker: ada.id })
  await hub.sql('update passwords set hash = $2 where account_id = $1', [ada.id, dearer])
  expect((await signIn(ada.handle, OTHER)).status).toBe(401)
  expect(await row()).toEqual({ ...before, hash: dearer })
  expect((await signIn(ada.handle, PASSWORD)).status).toBe(204)
  const after = await row()
  expect([after?.hash.slice(0, 13), after?.changed_at]).toEqual(['$scrypt$ln=14', before?.changed_at])
  expect([after?.hash === before?.hash, await isValid(ada.token)]).toEqual([false, true])
  expect((await signIn(ada.handle, PASSWORD)).status).toBe(204)
  expect(await row()).toEqual(after)
})

it('sign-ins at once and a change of the password go on while one of them hashes it again', async () => {
  const ada = await person()
  const dearer = await hashPassword(PASSWORD, { costLog2: 15, asker: ada.id })
  await hub.sql('update passwords set hash = $2 where account_id = $1', [ada.id, dearer])
  const answers = await Promise.all([1, 2, 3, 4].map(() => signIn(ada.handle, PASSWORD)))
  expect(answers.map(({ status }) => status)).toEqual([204, 204, 204, 204])
  await hub.sql('update passwords set hash = $2 where account_id = $1', [ada.id, dearer])
  const [change] = await Promise.all([set(ada, OTHER, PASSWORD), signIn(ada.handle, PASSWORD)])
  expect(change.data.setPassword).toMatchObject({ changedAt: expect.any(String) })
  expect((await signIn(ada.handle, OTHER)).status).toBe(204)
})

it('an org has no password, and none signs in as one', async () => {
  const ada = await person()
  const org = await hub.org([{ user: ada.handle, role: 'owner' }], newName('org'))
  expect((await signIn(org, PASSWORD)).status).toBe(401)
})
