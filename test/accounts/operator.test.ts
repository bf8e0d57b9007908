import { pino } from 'pino'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { ensureOperator } from '../../src/accounts/operator.ts'
import { type Auth, openAuth } from '../../src/auth/auth.ts'
import { viewerOfToken } from '../../src/auth/authenticate.ts'
import { readConfig } from '../../src/platform/config.ts'
import { testDb } from '../support/database.ts'

const database = testDb()
const instances: Auth[] = []

beforeAll(async () => {
  const open = () =>
    openAuth({
      config: readConfig({ OPERATOR_HANDLE: 'boss' }),
      log: pino({ level: 'silent' }),
      db: database.db,
      secret: 's'.repeat(32),
    })
  instances.push(...(await Promise.all([open(), open(), open()])))
})
afterAll(async () => {
  for (const auth of instances) await auth.close()
})

describe('instances that start at once on an empty database', () => {
  it('agree on one signing key', async () => {
    const kids = await Promise.all(instances.map(async (auth) => (await auth.keys.current()).kid))
    expect(new Set(kids).size).toBe(1)
    expect(await database.db.query({ name: '', text: 'select from signing_keys' })).toHaveLength(1)
  })

  it('create one operator, whose session is shown once and valid at each of them', async () => {
    const tokens = (await Promise.all(instances.map(ensureOperator))).filter((token) => token !== null)
    expect(tokens).toHaveLength(1)
    for (const auth of instances)
      expect(await viewerOfToken(auth, tokens[0] ?? '')).toMatchObject({ kind: 'session', account: { handle: 'boss' } })
    expect(await Promise.all(instances.map(ensureOperator))).toEqual([null, null, null])
  })

  it('reject a secret other than the one that sealed the keys', async () => {
    const other = openAuth({
      config: readConfig({ HUB_SECRET: 't'.repeat(32) }),
      log: pino({ level: 'silent' }),
      db: database.db,
      secret: 't'.repeat(32),
    })
    await expect(other).rejects.toThrow('HUB_SECRET')
  })
})
