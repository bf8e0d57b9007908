/** Contract, "Passkeys": what attackers without them try. */
import { randomBytes } from 'node:crypto'
import { beforeEach, describe, expect, it } from 'vitest'
import { beginCeremony, takeCeremony } from '../../../src/accounts/passkeys/ceremony.ts'
import { openSigningKeys } from '../../../src/auth/signing-keys.ts'
import { contractHub, type Json } from '../../support/hub.ts'
import { passkeys, typeOf } from '../../support/passkeys.ts'
import { cookieOf } from '../../support/passwords.ts'

const hub = contractHub({}, { alone: true })
const { add, addTo, begin, finish, forget, inputOf, isValid, meOf, newDevice, person, post, remove, signIn, start } =
  passkeys(hub)
beforeEach(() => forget())

/** What an answer tells, without what is of the request alone. */
const toldBy = ({ status, headers, json }: Awaited<ReturnType<typeof signIn>>) => {
  const { request_id: _, instance: __, ...problem } = json
  return { status, problem, cookies: headers.getSetCookie() }
}
const refused = { status: 401, cookies: [], problem: { type: '/problems/auth.invalid' } }
const foreign = 'http://elsewhere.test'

describe('an answer', () => {
  it('that is wrong in any way is the same 401 as that of an unknown or removed passkey', async () => {
    const { person: ada, device } = await person()
    const [gone, eve] = [newDevice(), newDevice()]
    const id = await addTo(ada, gone)
    await remove(ada, id)
    eve.create({ challenge: 'x', rp: {}, user: { id: 'x' } })
    const other = await person()
    const wrong: Json[] = [
      { origin: foreign },
      { origin: 'https://localhost' },
      { origin: hub.running.url },
      { rpId: 'elsewhere.test' },
      { rpId: '127.0.0.1' },
      { challenge: randomBytes(32).toString('base64url') },
      { type: 'webauthn.create' },
      { crossOrigin: true },
      // No one was there; nobody confirmed it; it says both that it is one device's and that there is a copy.
      { flags: 0 },
      { flags: 1 },
      { flags: 1 + 4 + 16 },
      { credentialId: other.device.credentials[0]?.id },
      { credentialId: randomBytes(32) },
    ]
    const told = [toldBy(await signIn(gone)), toldBy(await signIn(eve))]
    for (const one of wrong) told.push(toldBy(await signIn(device, {}, one)))
    const begun = await start()
    const asserted = device.get(begun.options)
    for (const altered of [
      { signature: `${asserted.signature.slice(0, -4)}AAAA` },
      { userHandle: other.device.credentials[0]?.userHandle },
      { clientDataJSON: 'e30' },
      { clientDataJSON: 'AAAA' },
      { authenticatorData: 'AAAA' },
    ]) {
      const again = await start()
      told.push(toldBy(await finish(again, { ...device.get(again.options), ...altered })))
      await forget()
    }
    expect(told[0]).toMatchObject(refused)
    for (const one of told) expect(one).toEqual(told[0])
    expect((await signIn(device)).status).toBe(204)
  })

  it('counts once: neither later nor twice at the same time, nor with another challenge', async () => {
    const { device } = await person()
    const begun = await start()
    const asserted = device.get(begun.options)
    const answers = await Promise.all([finish(begun, asserted), finish(begun, asserted), finish(begun, asserted)])
    expect(answers.map(({ status }) => status).toSorted()).toEqual([204, 401, 401])
    expect(toldBy(await finish(begun, asserted))).toMatchObject(refused)
    expect((await finish(await start(), asserted)).status).toBe(401)
  })

  it('spends its challenge also where it is wrong', async () => {
    const { device } = await person()
    const begun = await start()
    expect((await finish(begun, device.get(begun.options, { origin: foreign }))).status).toBe(401)
    expect((await finish(begun, device.get(begun.options))).status).toBe(401)
  })

  it('counts in the browser in which the sign-in began, in any of its tabs, and in no other', async () => {
    const { person: ada, device } = await person()
    const [first, other] = [await start(), await start()]
    const stolen = device.get(first.options)
    expect((await finish({ ...first, cookie: other.cookie }, stolen)).status).toBe(401)
    expect((await post('/auth/passkey', { ceremony: first.ceremony, ...stolen })).status).toBe(401)
    const tab = await start({ cookie: first.cookie })
    expect(tab.cookie).toBe(first.cookie)
    expect(await meOf(await finish(first, stolen))).toBe(ada.handle)
    expect((await finish(tab, device.get(tab.options))).status).toBe(204)
    const ill = await start({ cookie: 'hub_passkey=x' })
    expect(ill.cookie).toMatch(/^hub_passkey=[\w-]{43}$/)
  })

  it('counts once at all instances of the hub, whichever one has asked', async () => {
    const { person: ada, device } = await person()
    const { db, config } = hub.running.deps
    const other = await openSigningKeys(db, config.secret ?? '')
    const browser = randomBytes(32).toString('base64url')
    const purpose = { use: 'sign_in', of: browser } as const
    const asked = await beginCeremony(other, purpose)
    const cookie = `hub_passkey=${browser}`
    const asserted = device.get({ challenge: asked.challenge, rpId: 'localhost' })
    expect(await meOf(await finish({ ceremony: asked.ceremony, cookie }, asserted))).toBe(ada.handle)
    expect(await takeCeremony({ keys: other, db }, asked.ceremony, purpose)).toBeNull()
    const begun = await start({ cookie })
    expect(await takeCeremony({ keys: other, db }, begun.ceremony, purpose)).not.toBeNull()
    expect((await finish(begun, device.get(begun.options))).status).toBe(401)
  })

  it('is late after five minutes', async () => {
    const { device } = await person()
    const begun = await start()
    const claims = JSON.parse(Buffer.from(begun.ceremony.split('.')[1], 'base64url').toString())
    expect(claims.exp - claims.iat).toBe(300)
    const late = await hub.sql<{ isOpen: boolean }>(
      `select to_timestamp($1) > now() + interval '301 seconds' as "isOpen"`,
      [claims.exp],
    )
    expect(late).toEqual([{ isOpen: false }])
    await hub.sql(`insert into spent_challenges values (sha256($1::bytea), now())`, [claims.challenge])
    expect((await finish(begun, device.get(begun.options))).status).toBe(401)
  })
})

describe('a ceremony', () => {
  it('is of one session: that of another person, or another session, adds nothing', async () => {
    const [ada, eve] = [await hub.person(), await hub.person()]
    const { newPasskey } = (await begin(ada)).data
    const made = newDevice().create(newPasskey.options as Json)
    expect(typeOf(await add(eve, inputOf(newPasskey.ceremony, made)))).toBe('/problems/validation.value')
    const other = await hub.signIn(ada)
    expect(typeOf(await add(other.token, inputOf(newPasskey.ceremony, made)))).toBe('/problems/validation.value')
    expect(typeOf(await add(ada, inputOf(newPasskey.ceremony, made)))).toBeUndefined()
    expect(typeOf(await add(ada, inputOf(newPasskey.ceremony, made)))).toBe('/problems/validation.value')
  })

  it('of a sign-in adds nothing, and one that adds signs nobody in', async () => {
    const { person: ada, device } = await person()
    const begun = await start()
    const made = newDevice().create({ ...begun.options, rp: { id: 'localhost' }, user: { id: 'AAAA' } })
    expect(typeOf(await add(ada, inputOf(begun.ceremony, made)))).toBe('/problems/validation.value')
    const { newPasskey } = (await begin(ada)).data
    const options = newPasskey.options as Json
    const asserted = device.get({ challenge: options.challenge, rpId: 'localhost' })
    expect((await finish({ ceremony: newPasskey.ceremony, cookie: begun.cookie }, asserted)).status).toBe(401)
  })

  it('is one that the hub has signed: no other token, and none that was altered', async () => {
    const { person: ada, device } = await person()
    const begun = await start()
    const [head, body, tail] = begun.ceremony.split('.')
    const claims = JSON.parse(Buffer.from(body, 'base64url').toString())
    const longer = Buffer.from(JSON.stringify({ ...claims, exp: claims.exp + 600 })).toString('base64url')
    for (const ceremony of ['', 'x', ada.token, `${head}.${longer}.${tail}`, `${head}.${body}.`, `${head}.${body}`])
      expect([ceremony.length, (await finish({ ...begun, ceremony }, device.get(begun.options))).status]).toEqual([
        ceremony.length,
        401,
      ])
    expect((await hub.call(begun.ceremony, 'GET', '/v1/me')).status).toBe(401)
  })

  it('adds no passkey that was made for another site, unconfirmed, or with certificates', async () => {
    const ada = await hub.person()
    const x5c = new Map<string, unknown>([
      ['alg', -7],
      ['sig', new Uint8Array(8)],
      ['x5c', [new Uint8Array(64)]],
    ])
    const wrong: Json[] = [
      { origin: foreign },
      { rpId: 'elsewhere.test' },
      { challenge: randomBytes(32).toString('base64url') },
      { type: 'webauthn.get' },
      { crossOrigin: true },
      { flags: 1 },
      { credentialId: randomBytes(1024) },
      { attestation: { fmt: 'packed', attStmt: x5c } },
      { attestation: { fmt: 'tpm', attStmt: x5c } },
      { attestation: { fmt: 'none', attStmt: x5c } },
    ]
    for (const one of wrong) {
      const { newPasskey } = (await begin(ada)).data
      const made = newDevice().create(newPasskey.options as Json, one)
      expect([one, typeOf(await add(ada, inputOf(newPasskey.ceremony, made)))]).toEqual([
        one,
        '/problems/validation.value',
      ])
    }
    const { newPasskey } = (await begin(ada)).data
    const made = newDevice().create(newPasskey.options as Json, { credentialId: randomBytes(1023) })
    expect(typeOf(await add(ada, inputOf(newPasskey.ceremony, made)))).toBeUndefined()
  })

  it('adds no passkey that another person has', async () => {
    const [{ device }, eve] = [await person(), await hub.person()]
    const { newPasskey } = (await begin(eve)).data
    const credentialId = device.credentials[0]?.id ?? Buffer.alloc(0)
    const made = newDevice().create(newPasskey.options as Json, { credentialId })
    expect(typeOf(await add(eve, inputOf(newPasskey.ceremony, made)))).toBe('/problems/conflict.taken')
  })

  it('takes no bytes that are none: hostile CBOR is a wrong answer', async () => {
    const ada = await hub.person()
    for (const bytes of [
      Buffer.from('bf', 'hex'),
      Buffer.from('9b7fffffffffffffff', 'hex'),
      Buffer.from('5b7fffffffffffffff', 'hex'),
      Buffer.alloc(12_000, 0x81),
      randomBytes(500),
    ]) {
      const { newPasskey } = (await begin(ada)).data
      const made = newDevice().create(newPasskey.options as Json)
      const attestationObject = bytes.toString('base64url')
      expect(typeOf(await add(ada, inputOf(newPasskey.ceremony, { ...made, attestationObject })))).toBe(
        '/problems/validation.value',
      )
    }
  })
})

describe('other sites', () => {
  it('neither begin nor end a sign-in of their visitors, and add nothing by their cookie', async () => {
    const { person: ada, device } = await person()
    const begun = await start()
    const asserted = device.get(begun.options)
    const sent: Record<string, string>[] = [
      { origin: foreign },
      { 'sec-fetch-site': 'cross-site' },
      { 'sec-fetch-site': 'same-site' },
    ]
    for (const headers of sent) {
      expect((await start(headers)).answer.status).toBe(403)
      const answer = await finish(begun, asserted, headers)
      expect([answer.status, answer.headers.getSetCookie()]).toEqual([403, []])
    }
    const answer = await hub.send(null, 'POST', '/graphql', {
      headers: { 'content-type': 'application/json', cookie: `hub_session=${ada.token}`, origin: foreign },
      body: JSON.stringify({ query: 'mutation { removePasskey(input: { id: "x" }) { id } }' }),
    })
    expect(answer.status).toBe(403)
    expect((await finish(begun, asserted)).status).toBe(204)
  })

  it('put no session into a browser that stays after the sign-in', async () => {
    const [{ person: ada, device }, eve] = [await person(), await hub.person()]
    const answer = await signIn(device, { cookie: `hub_session=${eve.token}` })
    expect([await meOf(answer), cookieOf(answer, 'hub_session') === eve.token]).toEqual([ada.handle, false])
    expect(await isValid(eve.token)).toBe(true)
  })
})

describe('a person whom the operator keeps out', () => {
  it('signs in with no passkey until they are let in again', async () => {
    const { person: ada, device } = await person()
    await hub.sql('update accounts set disabled_at = now() where id = $1', [ada.id])
    const answer = await signIn(device)
    expect([answer.status, answer.json.type, answer.headers.getSetCookie()]).toEqual([
      401,
      '/problems/auth.disabled',
      [],
    ])
    await hub.sql('update accounts set disabled_at = null where id = $1', [ada.id])
    expect((await signIn(device)).status).toBe(204)
  })
})

describe('many attempts', () => {
  it('of a network wait, known passkey or not; a browser that has signed in before does not', async () => {
    const { device } = await person()
    const known = cookieOf(await signIn(device), 'hub_known')
    const unknown = newDevice()
    unknown.create({ challenge: 'x', rp: {}, user: { id: 'AAAA' } })
    await forget()
    for (const who of [device, unknown])
      expect((await finish(await start(), who.get({ challenge: 'x', rpId: 'localhost' }))).status).toBe(401)
    // Both are counted for the network, and no more than that.
    expect(await hub.sql('select level > 1 as "isCounted" from sign_in_delays')).toEqual([{ isCounted: true }])
    await hub.sql(`update sign_in_delays set next_at = now() + interval '10 minutes'`)
    const [one, other] = [await signIn(device), await signIn(unknown)]
    expect([one.status, other.status, one.json.type]).toEqual([429, 429, '/problems/rate.limited'])
    expect(one.headers.get('retry-after')).toMatch(/^\d+$/)
    expect((await signIn(device, { cookie: `hub_known=${known}` })).status).toBe(204)
  })

  it('that are ill-formed are refused before anything is counted', async () => {
    const { device } = await person()
    const begun = await start()
    const asserted = device.get(begun.options)
    await forget()
    for (const altered of [{ id: '' }, { id: 'a b' }, { signature: 7 }, { userHandle: null }, { id: 'x'.repeat(1400) }])
      expect((await finish(begun, { ...asserted, ...altered })).status).toBe(422)
    expect((await finish(begun, { ...asserted, signature: 'x'.repeat(20_000) })).status).toBe(413)
    expect(await hub.sql('select 1 from sign_in_delays')).toEqual([])
  })
})
