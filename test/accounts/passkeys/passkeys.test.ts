/** Contract, "Passkeys": adding, naming, using and removing one. */
import { beforeEach, describe, expect, it } from 'vitest'
import { contractHub, type Json, type Person } from '../../support/hub.ts'
import { passkeys, typeOf } from '../../support/passkeys.ts'
import { cookieOf, PASSWORD, passwords } from '../../support/passwords.ts'

const hub = contractHub({}, { alone: true })
const { add, addTo, begin, finish, forget, inputOf, isValid, meOf, newDevice, person, remove, signIn, start } =
  passkeys(hub)
const { set } = passwords(hub)
beforeEach(() => forget())

const told = (id: string) =>
  hub.sql<Json>('select action, before, after from audit_log where account_id = $1 order by id', [id])
const own = async (who: Person) =>
  (await hub.graphql(who, '{ ownPasskeys { id name host backedUp createdAt lastUsedAt } }')).data.ownPasskeys
const grownOld = ({ id }: Person) =>
  hub.sql(`update sessions set signed_in_at = now() - interval '16 minutes' where account_id = $1`, [id])

describe('a person', () => {
  it('adds a passkey, signs in with it, and gets a cookie and no token', async () => {
    const { person: ada, device, id } = await person()
    expect(await own(ada)).toEqual([
      { id, name: 'laptop', host: 'localhost', backedUp: true, createdAt: expect.any(String), lastUsedAt: null },
    ])
    const answer = await signIn(device)
    expect([answer.status, answer.text, answer.headers.get('cache-control')]).toEqual([204, '', 'no-store'])
    const line = answer.headers.getSetCookie().find((text) => text.startsWith('hub_session='))
    expect(line).toMatch(/^hub_session=eyJ[^;]+; Max-Age=\d+; Path=\/; HttpOnly; SameSite=Lax$/)
    expect(await meOf(answer)).toBe(ada.handle)
    expect((await own(ada))[0]?.lastUsedAt).toMatch(/Z$/)
    const entries = await told(ada.id)
    expect(entries.map(({ action }) => action)).toEqual([
      'user.create',
      'session.create',
      'passkey.add',
      'session.create',
    ])
    expect(entries[2]?.after).toEqual({ name: 'laptop', rpId: 'localhost', backedUp: true })
    expect(entries[3]?.after).toMatchObject({ way: 'passkey', passkeyId: id })
  })

  it('is asked for no name, and for a passkey that the device finds and unlocks itself', async () => {
    const { person: ada } = await person()
    const { options } = await start()
    expect(options).toEqual({
      challenge: expect.stringMatching(/^[\w-]{43}$/),
      rpId: 'localhost',
      timeout: 300_000,
      userVerification: 'required',
    })
    const { options: creation } = (await begin(ada)).data.newPasskey as Json
    expect(creation).toMatchObject({
      rp: { id: 'localhost' },
      user: { name: ada.handle, displayName: ada.handle },
      attestation: 'none',
      authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
      excludeCredentials: [{ type: 'public-key' }],
    })
    expect(Buffer.from(creation.user.id, 'base64url').toString()).not.toContain(ada.handle)
  })

  it('signs in as a recent sign-in, and leaves no session of this browser behind', async () => {
    const { person: ada, device, id } = await person()
    await set(ada, PASSWORD)
    const first = cookieOf(await signIn(device), 'hub_session') ?? ''
    await grownOld(ada)
    expect(typeOf(await remove(first, id))).toBe('/problems/forbidden.old_sign_in')
    const again = await signIn(device, { cookie: `hub_session=${first}` })
    const second = cookieOf(again, 'hub_session') ?? ''
    expect([await isValid(first), await isValid(second)]).toEqual([false, true])
    expect((await remove(second, id)).data.removePasskey).toEqual({ id })
  })

  it('adds and removes one with a recent sign-in alone, and never with a key', async () => {
    const { person: ada, id } = await person()
    const key = await hub.key(ada)
    for (const answer of [await begin(key), await remove(key, id)])
      expect(typeOf(answer)).toBe('/problems/forbidden.scope')
    expect(typeOf(await begin(null))).toBe('/problems/auth.missing')
    const { newPasskey } = (await begin(ada)).data
    const made = newDevice().create(newPasskey.options as Json)
    await grownOld(ada)
    for (const answer of [await begin(ada), await remove(ada, id), await add(ada, inputOf(newPasskey.ceremony, made))])
      expect(typeOf(answer)).toBe('/problems/forbidden.old_sign_in')
    expect(await own(ada)).toHaveLength(1)
  })

  it('names one as they like, and no one else does', async () => {
    const { person: ada, id } = await person()
    const rename = (who: Person, name: string) =>
      hub.graphql(
        who,
        'mutation ($id: ID!, $name: String!) { renamePasskey(input: { id: $id, name: $name }) { passkey { name } } }',
        { id, name },
      )
    expect((await rename(ada, 'the key on my desk')).data.renamePasskey?.passkey?.name).toBe('the key on my desk')
    const eve = await hub.person()
    expect(typeOf(await rename(eve, 'mine'))).toBe('/problems/not_found')
    expect(typeOf(await remove(eve, id))).toBe('/problems/not_found')
    expect(typeOf(await rename(ada, ''))).toBe('/problems/validation.failed')
    expect(typeOf(await rename(ada, 'x'.repeat(101)))).toBe('/problems/validation.failed')
    expect((await told(ada.id)).at(-1)).toMatchObject({
      action: 'passkey.rename',
      before: { name: 'laptop' },
      after: { name: 'the key on my desk' },
    })
  })
})

describe('the last way to sign in', () => {
  it('is not removed: of two removals at the same time one passkey is left', async () => {
    const { person: ada, device, id } = await person()
    expect(typeOf(await remove(ada, id))).toBe('/problems/conflict.last_sign_in')
    const other = await addTo(ada, newDevice())
    const answers = await Promise.all([remove(ada, id), remove(ada, other)])
    expect(answers.map(typeOf).toSorted()).toEqual(['/problems/conflict.last_sign_in', undefined])
    expect(await own(ada)).toHaveLength(1)
    await set(ada, PASSWORD)
    const [left] = await own(ada)
    expect((await remove(ada, left?.id ?? '')).data.removePasskey).toEqual({ id: left?.id })
    expect((await signIn(device)).status).toBe(401)
    expect((await told(ada.id)).at(-1)?.action).toBe('passkey.remove')
  })

  it('is not one of another host, which goes at any time', async () => {
    const { person: ada, device, id } = await person()
    await hub.sql(`update passkeys set rp_id = 'old.test' where id = $1`, [id])
    expect((await signIn(device)).status).toBe(401)
    expect((await remove(ada, id)).data.removePasskey).toEqual({ id })
  })
})

describe('a device that counts', () => {
  it('signs in while its count grows; a smaller one is refused, told to the person, and spoils nothing', async () => {
    const { person: ada, device, id } = await person({ counts: true })
    for (let at = 0; at < 2; at += 1) expect((await signIn(device)).status).toBe(204)
    for (const counter of [2, 1, 0]) expect((await signIn(device, {}, { counter })).status).toBe(401)
    const [entry] = (await told(ada.id)).filter(({ action }) => action === 'passkey.refused')
    expect(entry).toMatchObject({ before: { counter: 2 }, after: { counter: 2 } })
    expect((await signIn(device)).status).toBe(204)
    // A count that nobody signed tells nothing.
    const before = (await told(ada.id)).length
    const begun = await start()
    const asserted = device.get(begun.options, { counter: 1 })
    const forged = { ...asserted, signature: device.get(begun.options).signature }
    expect((await finish(begun, forged)).status).toBe(401)
    expect(await told(ada.id)).toHaveLength(before)
    expect((await own(ada))[0]?.id).toBe(id)
  })
})

describe('many passkeys', () => {
  it('are 20 at most: the last one fits, and one more is refused at both steps', async () => {
    const { person: ada } = await person()
    for (let at = 1; at < 19; at += 1) await addTo(ada, newDevice())
    const late = (await begin(ada)).data.newPasskey
    await addTo(ada, newDevice())
    expect(await own(ada)).toHaveLength(20)
    const refused: Json = await begin(ada)
    expect(refused.errors[0].extensions.problem).toMatchObject({
      type: '/problems/quota.passkeys',
      unit: 'passkeys',
      limit: 20,
      used: 20,
    })
    const made = newDevice().create(late.options as Json)
    expect(typeOf(await add(ada, inputOf(late.ceremony, made)))).toBe('/problems/quota.passkeys')
    expect(await own(ada)).toHaveLength(20)
  })
})
