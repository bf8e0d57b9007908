import { chmod, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { needs } from '@hub/testing/needs'
import { pino } from 'pino'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { readConfig } from '../src/platform/config.ts'
import { environment } from '../src/platform/config-environment.ts'
import { secretSettings } from '../src/platform/secret-files.ts'
import { startFailure } from '../src/start-failure.ts'
import { startHub } from '../src/start-hub.ts'
import { testDb } from './support/database.ts'

const database = testDb()
let dir: string
beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'hub-settings-'))
})
afterAll(() => rm(dir, { recursive: true, force: true }))

/** What the operator of a hub that does not start reads; null for one that starts. */
async function refusal(settings: Record<string, string>): Promise<string | null> {
  let config: ReturnType<typeof readConfig>
  try {
    config = readConfig({ PORT: '0', ...settings })
  } catch (error) {
    return startFailure(error, { databaseUrl: null, dataDir: '' })
  }
  try {
    await (await startHub(config, pino({ level: 'silent' }))).stop()
    return null
  } catch (error) {
    return startFailure(error, config) ?? `only a stack trace: ${error}`
  }
}

describe('an invalid setting stops the start and is named', () => {
  it.each([
    [
      'an origin without a scheme',
      { CORS_ORIGINS: 'localhost:3000' },
      /^Invalid configuration: CORS_ORIGINS: .*http:\/\/localhost:3000/,
    ],
    ['an origin with a path', { CORS_ORIGINS: 'https://a.example/app' }, /^Invalid configuration: CORS_ORIGINS: /],
    ['an origin of every page', { CORS_ORIGINS: '*' }, /^Invalid configuration: CORS_ORIGINS: /],
    ['a word for trust', { TRUST_PROXY: 'yes' }, /^Invalid configuration: TRUST_PROXY: .*hops.*10\.0\.0\.0\/8/],
    ['trust in a name', { TRUST_PROXY: 'proxy.example' }, /^Invalid configuration: TRUST_PROXY: /],
    ['trust in a range too wide to be one', { TRUST_PROXY: '10.0.0.0/33' }, /^Invalid configuration: TRUST_PROXY: /],
    ['trust in a negative number', { TRUST_PROXY: '-1' }, /^Invalid configuration: TRUST_PROXY: /],
    ['a bucket beside the disk store', { S3_BUCKET: 'b' }, /^Invalid configuration: S3_BUCKET: .*OBJECT_STORE=s3/],
    [
      'a region beside the disk store',
      { OBJECT_STORE: 'disk', S3_REGION: 'x' },
      /^Invalid configuration: S3_REGION: .*OBJECT_STORE=s3/,
    ],
    ['a client without an issuer', { OIDC_CLIENT_ID: 'c' }, /^Invalid configuration: OIDC_CLIENT_ID: .*OIDC_ISSUER/],
    [
      'metrics on the port of the hub',
      { PORT: '4001', METRICS_PORT: '4001' },
      /^Invalid configuration: METRICS_PORT: .*METRICS_TOKEN/,
    ],
    [
      'a host of metrics without their port',
      { METRICS_HOST: '::' },
      /^Invalid configuration: METRICS_HOST: .*METRICS_PORT/,
    ],
    ['a token that anyone guesses', { METRICS_TOKEN: 'a'.repeat(15) }, /^Invalid configuration: METRICS_TOKEN: .*16/],
    [
      'a token that no header can carry',
      { METRICS_TOKEN: `${'a'.repeat(16)} b` },
      /^Invalid configuration: METRICS_TOKEN: .*ASCII/,
    ],
    [
      'a secret file that is not there',
      { HUB_SECRET_FILE: '/nowhere' },
      /^Invalid configuration: HUB_SECRET_FILE: \/nowhere .*ENOENT/,
    ],
    [
      'a secret file that is empty',
      { METRICS_TOKEN_FILE: '/dev/null' },
      /^Invalid configuration: METRICS_TOKEN_FILE: .*empty/,
    ],
    [
      'a secret that is given twice',
      { HUB_SECRET: 'a'.repeat(32), HUB_SECRET_FILE: '/etc/passwd' },
      /^Invalid configuration: HUB_SECRET_FILE: HUB_SECRET is set too/,
    ],
    [
      'a data folder that cannot be',
      { HUB_DATA_DIR: '/proc/x' },
      /^Invalid configuration: HUB_DATA_DIR: \/proc\/x .*ENOENT/,
    ],
    [
      'a data folder that is a file',
      { HUB_DATA_DIR: '/etc/passwd' },
      /^Invalid configuration: HUB_DATA_DIR: \/etc\/passwd .*EEXIST/,
    ],
  ])('%s', async (_, settings, message) => {
    expect(await refusal(settings)).toMatch(message)
  })

  it('says each fault of the environment', async () => {
    const said = await refusal({ CORS_ORIGINS: 'x', TRUST_PROXY: 'yes', S3_BUCKET: 'b' })
    for (const name of ['CORS_ORIGINS', 'TRUST_PROXY']) expect(said).toContain(name)
  })

  it('reads secrets from files, without the line end of their editor', async () => {
    const file = join(dir, 'token')
    await writeFile(file, 'a-token-for-scrapers\n')
    expect(readConfig({ METRICS_TOKEN_FILE: file }).metrics.token).toBe('a-token-for-scrapers')
    for (const name of secretSettings) expect(environment.shape).toHaveProperty(name)
  })

  it('names a tiers file that cannot be read, or does not hold', async () => {
    const file = join(dir, 'tiers.json')
    expect(await refusal({ HARDWARE_TIERS_FILE: file })).toContain(
      `HARDWARE_TIERS_FILE: ${file} cannot be read: ENOENT`,
    )
    await writeFile(file, '[')
    expect(await refusal({ HARDWARE_TIERS_FILE: file })).toContain(`HARDWARE_TIERS_FILE: ${file}: is not JSON`)
    await writeFile(file, '[]')
    expect(await refusal({ HARDWARE_TIERS_FILE: file })).toContain(`HARDWARE_TIERS_FILE: ${file}: `)
  })

  it('names the secret file that holds none, and a secret that is not that of the database', async () => {
    const external = { DATABASE_URL: database.url, OBJECT_STORE: 'none' }
    expect(await refusal({ ...external, HUB_SECRET: 'a'.repeat(32) })).toBeNull()
    const said = await refusal({ ...external, HUB_SECRET: 'b'.repeat(32) })
    expect(said).toMatch(/HUB_SECRET/)
    expect(said).toMatch(/another secret/)
  })

  it(
    'names a data folder that may not be written',
    needs(process.getuid?.() === 0 && 'root may write every folder'),
    async () => {
      const locked = join(dir, 'locked')
      await mkdir(locked)
      await chmod(locked, 0o500)
      expect(await refusal({ HUB_DATA_DIR: locked })).toContain(`HUB_DATA_DIR: ${locked} cannot be written: EACCES`)
    },
  )
})

describe('settings that hold', () => {
  it('take origins, hops and ranges', () => {
    expect(readConfig({ CORS_ORIGINS: 'https://a.example, http://localhost:3000' }).corsOrigins).toEqual([
      'https://a.example',
      'http://localhost:3000',
    ])
    expect(readConfig({}).trustProxy).toBe(0)
    expect(readConfig({ TRUST_PROXY: '2' }).trustProxy).toBe(2)
    expect(readConfig({ TRUST_PROXY: '10.0.0.0/8, ::1' }).trustProxy).toEqual(['10.0.0.0/8', '::1'])
  })
})
