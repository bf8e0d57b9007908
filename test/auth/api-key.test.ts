import { createHash } from 'node:crypto'
import { isKeyToken } from '@hub/formats/key-token'
import { pino } from 'pino'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { addUser } from '../../src/accounts/accounts.ts'
import { addApiKey } from '../../src/accounts/api-keys.ts'
import { looksLikeKey, newKeyToken, tokenDigest } from '../../src/auth/api-key.ts'
import { type Auth, openAuth } from '../../src/auth/auth.ts'
import { viewerOfToken } from '../../src/auth/authenticate.ts'
import { noViewer } from '../../src/operation/audit.ts'
import { readConfig } from '../../src/platform/config.ts'
import { testDb } from '../support/database.ts'

const base62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
const database = testDb()
let auth: Auth

beforeAll(async () => {
  const log = pino({ level: 'silent' })
  auth = await openAuth({ config: readConfig({}), log, db: database.db, secret: 's'.repeat(32) })
})
afterAll(async () => auth?.close())

const typo = (token: string, at: number) => {
  const other = base62.charAt((base62.indexOf(token.charAt(at)) + 1) % 62)
  return token.slice(0, at) + other + token.slice(at + 1)
}

describe('the token of an API key', () => {
  it('is hub_key_, 30 base62 characters and 6 of their CRC32', () => {
    const tokens = Array.from({ length: 200 }, newKeyToken)
    expect(new Set(tokens).size).toBe(200)
    for (const token of tokens) {
      expect(token).toMatch(/^hub_key_[0-9A-Za-z]{36}$/)
      expect(isKeyToken(token)).toBe(true)
    }
  })

  it('keeps the checksum that other implementations compute', () => {
    const token = `hub_key_${'0'.repeat(30)}${checkOf('0'.repeat(30))}`
    expect(isKeyToken(token)).toBe(true)
  })

  it('is rejected if any one character differs, and in any other format', () => {
    const token = newKeyToken()
    for (let at = 'hub_key_'.length; at < token.length; at++)
      expect([at, isKeyToken(typo(token, at))]).toEqual([at, false])
    for (const text of [
      `${token}0`,
      token.slice(0, -1),
      token.toUpperCase(),
      ` ${token}`,
      `${token}\n`,
      'hub_key_',
      '',
    ])
      expect([text, isKeyToken(text)]).toEqual([text, false])
    expect(looksLikeKey('hub_key_short')).toBe(true)
    expect(looksLikeKey('eyJh')).toBe(false)
  })

  it('is stored as its SHA-256 alone', async () => {
    const { token, id } = await database.db.withTx(async (tx) => {
      const user = await addUser(tx, noViewer, { handle: 'ada' })
      return addApiKey({ tx, ctx: noViewer, owner: user, createdBy: null, input: { name: 'a', scope: 'read' } })
    })
    expect(tokenDigest(token)).toEqual(createHash('sha256').update(token).digest())
    const text = `select k::text as key, (select json_agg(l)::text from audit_log l) as audit from api_keys k where id = $1`
    const [row] = await database.db.query<{ key: string; audit: string }>({ name: '', text }, [id])
    expect(row?.key).toContain(createHash('sha256').update(token).digest('hex'))
    expect(row?.audit).toContain(id)
    for (const secret of [token, token.slice('hub_key_'.length), token.slice(8, 38)]) {
      expect(row?.key).not.toContain(secret)
      expect(row?.audit).not.toContain(secret)
    }
  })

  it('costs one statement when it is well-formed and none when it has a typo', async () => {
    const token = newKeyToken()
    const asked = database.record()
    expect(await viewerOfToken(auth, typo(token, 20))).toBeNull()
    expect(await viewerOfToken(auth, 'hub_key_nonsense')).toBeNull()
    expect(asked).toEqual([])
    expect(await viewerOfToken(auth, token)).toBeNull()
    expect(asked).toHaveLength(1)
  })
})

/** The checksum written out bit by bit, so that the test shares nothing with what it tests. */
function checkOf(entropy: string): string {
  let crc = 0xffffffff
  for (const byte of Buffer.from(entropy)) {
    crc ^= byte
    for (let bit = 0; bit < 8; bit++) crc = (crc >>> 1) ^ (crc & 1 ? 0xedb88320 : 0)
  }
  let rest = BigInt((crc ^ 0xffffffff) >>> 0)
  let digits = ''
  for (let place = 0; place < 6; place++, rest /= 62n) digits = base62.charAt(Number(rest % 62n)) + digits
  return digits
}
