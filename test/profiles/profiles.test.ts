/** Contract, "Profiles": name, email and picture. */
import { Readable } from 'node:stream'
import { describe, expect, it, vi } from 'vitest'
import { keyColumns } from '../../src/backup/object-keys.ts'
import { collectAvatars } from '../../src/jobs/collect-job-objects.ts'
import { avatarObjects } from '../../src/profiles/avatar-objects.ts'
import { MAX_AVATAR_BYTES } from '../../src/profiles/set-avatar.ts'
import { ObjectStoreError } from '../../src/store/objects/object-store.ts'
import { newJobKey } from '../../src/work/job-objects.ts'
import { contractHub, type Json, newName, type Person, type Who } from '../support/hub.ts'
import { statementsOf } from '../support/request-statements.ts'
import { jpeg, png, webp } from './images.ts'

const hub = contractHub({}, { alone: true })
const typeOf = ({ errors }: Json) => errors?.[0]?.extensions.problem.type.split('/').at(-1)
const update = (who: Who, input: Json) =>
  hub.graphql(who, 'mutation ($input: UpdateProfileInput!) { updateProfile(input: $input) { account { name } } }', {
    input,
  })
const send = (who: Who, image: Buffer | null, account?: string) =>
  hub.graphql(who, 'mutation ($input: SetAvatarInput!) { setAvatar(input: $input) { account { avatarPath } } }', {
    input: { image: image?.toString('base64') ?? null, ...(account && { account }) },
  })
const pathOf = async (who: Who, image: Buffer, account?: string): Promise<string> =>
  (await send(who, image, account)).data.setAvatar.account.avatarPath
const get = (path: string, headers: Record<string, string> = {}) => fetch(new URL(path, hub.running.url), { headers })
const storedBy = async ({ id }: Person) =>
  (await hub.sql<Json>('select storage_bytes::float8 as used, avatar_key as key from accounts where id = $1', [id]))[0]
const emailOf = async (who: Who) => (await hub.graphql(who, '{ viewer { email } }')).data.viewer.email

async function orgOf() {
  const [owner, member] = [await hub.person(), await hub.person()]
  const org = await hub.org([
    { user: owner.handle, role: 'owner' },
    { user: member.handle, role: 'member' },
  ])
  return { owner, member, org }
}

describe('a profile', () => {
  it('has a name for all, and an email that its person alone sees, in a session', async () => {
    const [ada, bob] = [await hub.person(), await hub.person()]
    const key = await hub.key(ada, { scope: 'train' })
    await update(ada, { name: 'Ada Lovelace', email: 'ada@example.org' })
    const seen = await hub.graphql(bob, 'query ($handle: String!) { account(handle: $handle) { name } }', {
      handle: ada.handle,
    })
    expect(seen.data.account.name).toBe('Ada Lovelace')
    expect([await emailOf(ada), await emailOf(key), await emailOf(bob)]).toEqual(['ada@example.org', null, null])
    await update(ada, { name: null })
    expect([await emailOf(ada), (await update(ada, {})).data.updateProfile.account.name]).toEqual([
      'ada@example.org',
      null,
    ])
    await update(ada, { email: null })
    expect(await emailOf(ada)).toBeNull()
  })

  it('may have the email of another one, which leads to no account', async () => {
    const [ada, bob] = [await hub.person(), await hub.person()]
    for (const who of [ada, bob]) expect((await update(who, { email: 'same@example.org' })).errors).toBeUndefined()
  })

  it('is refused for what is not a name or email, at the edge and past it', async () => {
    const ada = await hub.person()
    const emails = [`${'x'.repeat(252)}@b`, `${'x'.repeat(253)}@b`, 'a b@c', 'a@', '@b', 'a', '', 'a@b\u0000']
    const faults = []
    for (const email of emails) faults.push(typeOf(await update(ada, { email })))
    expect(faults).toEqual([undefined, ...emails.slice(1).map(() => 'validation.failed')])
    expect([
      typeOf(await update(ada, { name: 'x'.repeat(200) })),
      typeOf(await update(ada, { name: 'x'.repeat(201) })),
    ]).toEqual([undefined, 'validation.failed'])
  })

  it('is changed by its person, or by the owners of an org; others are 403, and 404 where there is nothing', async () => {
    const { owner, member, org } = await orgOf()
    const key = await hub.key(owner, { scope: 'train' })
    expect((await update(owner, { account: org, name: 'The Lab' })).data.updateProfile.account.name).toBe('The Lab')
    expect(typeOf(await update(owner, { account: org, email: 'a@b' }))).toBe('validation.value')
    for (const [who, account, expected] of [
      [null, undefined, 'auth.missing'],
      [key, undefined, 'forbidden.scope'],
      [member, org, 'forbidden.scope'],
      [member, owner.handle, 'forbidden.scope'],
      [member, newName('nobody'), 'not_found'],
    ] as const) {
      expect(typeOf(await update(who, { name: 'x', ...(account && { account }) }))).toBe(expected)
      expect(typeOf(await send(who, png(), account))).toBe(expected)
    }
  })

  it('is audited without the email', async () => {
    const ada = await hub.person()
    await update(ada, { name: 'Ada', email: 'secret@example.org' })
    await update(ada, { name: 'Ada', email: 'secret@example.org' })
    const entries = await hub.sql<Json>('select action, before, after from audit_log where target_id = $1', [ada.id])
    expect(entries.filter(({ action }) => action === 'profile.update')).toEqual([
      { action: 'profile.update', before: { name: null }, after: { name: 'Ada', isEmailChanged: true } },
    ])
    expect(JSON.stringify(entries)).not.toContain('secret@')
  })
})

describe('a picture', () => {
  it('is served to all as what it is, for good, and nowhere once it is replaced or removed', async () => {
    const { owner, org } = await orgOf()
    for (const [account, image, type] of [
      [undefined, png(), 'image/png'],
      [undefined, jpeg(), 'image/jpeg'],
      [org, webp(), 'image/webp'],
    ] as const) {
      const path = await pathOf(owner, image, account)
      const answer = await get(path)
      expect([answer.status, Buffer.from(await answer.arrayBuffer()).equals(image)]).toEqual([200, true])
      expect(Object.fromEntries(answer.headers)).toMatchObject({
        'content-type': type,
        'cache-control': 'public, max-age=31536000, immutable',
        'x-content-type-options': 'nosniff',
        'content-security-policy': "sandbox; default-src 'none'",
        'content-length': String(image.length),
      })
      expect((await get(path, { 'if-none-match': answer.headers.get('etag') ?? '' })).status).toBe(304)
      const next = await pathOf(owner, png(2, 2), account)
      expect(next).not.toBe(path)
      expect([(await get(path)).status, (await get(next)).status]).toEqual([404, 200])
      expect((await send(owner, null, account)).data.setAvatar.account.avatarPath).toBeNull()
      expect((await get(next)).status).toBe(404)
    }
  })

  it('is a still PNG, JPEG or WebP of 256 KiB and 1024 pixels on a side, and nothing past that', async () => {
    const ada = await hub.person()
    const good = [png(1024, 1024), png(1, 1, MAX_AVATAR_BYTES), jpeg(1, 1024)]
    for (const image of good) expect((await send(ada, image)).errors).toBeUndefined()
    const kept = (await storedBy(ada)).key
    const bad = [
      [png(1025, 1), 'validation.value'],
      [jpeg(1, 1025), 'validation.value'],
      [png(0, 1), 'validation.value'],
      [webp(1, 1, 0x02), 'validation.value'],
      [Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"/>'), 'validation.value'],
      [Buffer.alloc(0), 'validation.value'],
      [png(1, 1, MAX_AVATAR_BYTES + 1), 'too_large'],
    ] as const
    for (const [image, type] of bad) expect(typeOf(await send(ada, image))).toBe(type)
    const raw = await hub.graphql(
      ada,
      'mutation ($input: SetAvatarInput!) { setAvatar(input: $input) { account { id } } }',
      {
        input: { image: 'not base64!' },
      },
    )
    expect(typeOf(raw)).toBe('validation.failed')
    expect((await storedBy(ada)).key).toBe(kept)
  })

  it('is read whole before it is sent: broken off it is an error, and replaced meanwhile 404', async () => {
    const ada = await hub.person()
    const path = await pathOf(ada, png())
    const { objects } = hub.running.deps
    if (!objects) throw new Error('The hub has a store.')
    const broken = async function* () {
      yield png().subarray(0, 20)
      throw new ObjectStoreError('unavailable', 'The store went away.')
    }
    const head = { sizeBytes: 64, etag: 'x' }
    vi.spyOn(objects, 'get').mockResolvedValueOnce({ body: Readable.from(broken()), head })
    const answer = await get(path)
    expect([answer.status, answer.headers.get('cache-control')]).toEqual([503, 'no-store'])
    expect((await get(path)).status).toBe(200)
    vi.spyOn(objects, 'get').mockImplementationOnce(async () => {
      await send(ada, null)
      throw new ObjectStoreError('no_such_object', 'The object does not exist.')
    })
    expect((await get(path)).status).toBe(404)
  })

  it('is found by its whole path alone', async () => {
    const [ada, bob] = [await hub.person(), await hub.person()]
    const path = await pathOf(ada, png())
    const name = path.split('/').at(-1) ?? ''
    for (const other of [
      `/users/${bob.id}/avatar/${name}`,
      `/users/${ada.handle}/avatar/${name}`,
      `/users/${ada.id}/avatar/..%2Fimages%2F${name}`,
      `/users/${ada.id}/avatar/${name.replace('.png', '.svg')}`,
      `/users/${ada.id}/avatar/`,
    ])
      expect([other, (await get(other)).status]).toEqual([other, 404])
  })

  it('counts in the quota, by what the one before it had; two tabs leave one', async () => {
    const ada = await hub.person()
    await send(ada, png(1, 1, 1000))
    expect((await storedBy(ada)).used).toBe(1000)
    await Promise.all([send(ada, png(1, 1, 300)), send(ada, png(1, 1, 300))])
    const { used, key } = await storedBy(ada)
    expect(used).toBe(300)
    const { objects } = hub.running.deps
    const keys = async () => {
      const found: string[] = []
      for await (const object of objects?.list(`avatars/${ada.id}/`) ?? []) found.push(object.key)
      return found
    }
    await expect.poll(keys).toEqual([key])
    await hub.sql('update accounts set storage_bytes = $2 where id = $1', [
      ada.id,
      hub.running.deps.config.storageQuotaBytes,
    ])
    expect(typeOf(await send(ada, png(1, 1, 301)))).toBe('quota.storage')
    expect((await send(ada, png(1, 1, 299))).errors).toBeUndefined()
    await expect.poll(async () => (await keys()).length).toBe(1)
    await send(ada, null)
    expect(await storedBy(ada)).toEqual({ used: hub.running.deps.config.storageQuotaBytes - 300, key: null })
  })

  it('that no account names is collected, once it is old; named ones stay, and a backup has them', async () => {
    const ada = await hub.person()
    const path = await pathOf(ada, png())
    const { objects } = hub.running.deps
    if (!objects) throw new Error('The hub has a store.')
    const stray = newJobKey(avatarObjects.png, ada.id)
    await objects.put(stray, png(), { sizeBytes: 64 })
    const collect = (youngMs: number) =>
      collectAvatars(hub.running.deps, objects, AbortSignal.timeout(120_000), youngMs)
    await collect(60_000)
    expect(await objects.head(stray)).not.toBeNull()
    await collect(-1000)
    expect([await objects.head(stray), (await get(path)).status]).toEqual([null, 200])
    const named = keyColumns.find(({ column }) => column === 'accounts.avatar_key')
    const rows = await hub.sql<Json>(named?.select ?? '')
    expect(rows.map(({ key }) => key)).toContain((await storedBy(ada)).key)
  })

  it('costs a statement for each place where accounts stand, however many they are', async () => {
    const { owner, org } = await orgOf()
    await pathOf(owner, png())
    const text = `query ($handle: String!) { account(handle: $handle) { avatarPath
      members(first: 50) { nodes { user { avatarPath } } } } }`
    const read = () => hub.graphql(owner, text, { handle: org })
    const { members } = (await read()).data.account
    expect(members.nodes.map(({ user }) => user.avatarPath !== null)).toEqual([true, false])
    expect(await statementsOf(hub.running.deps.db, read)).toBe(7)
  })
})
