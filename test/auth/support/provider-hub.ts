/** A hub of its own that signs people in by a provider of the test. */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pino } from 'pino'
import { afterAll, beforeAll } from 'vitest'
import { readConfig } from '../../../src/platform/config.ts'
import { type RunningHub, startHub } from '../../../src/start-hub.ts'
import { testDb } from '../../support/database.ts'
import { freePort } from '../../support/free-port.ts'
import { AUDIENCE, startProvider, type TestProvider } from './provider.ts'

/** Its members are there once the test's hooks have run. The provider knows the person `1001`. */
export interface ProviderHub {
  readonly provider: TestProvider
  readonly hub: RunningHub
  readonly database: ReturnType<typeof testDb>
  /** The address of a path of the hub. */
  readonly at: (path: string) => string
}

/** To be called once, at the top of a test file. */
export function providerHub(): ProviderHub {
  const database = testDb()
  let dataDir: string
  let provider: TestProvider
  let hub: RunningHub
  beforeAll(async () => {
    dataDir = await mkdtemp(join(tmpdir(), 'hub-oidc-'))
    const port = await freePort()
    provider = await startProvider(`http://127.0.0.1:${port}`)
    const settings = {
      PORT: String(port),
      DATABASE_URL: database.url,
      HUB_SECRET: 'a secret of more than thirty-two characters',
      HUB_DATA_DIR: dataDir,
      OIDC_ISSUER: provider.issuer,
      OIDC_AUDIENCE: AUDIENCE,
      OIDC_CLIENT_ID: 'hub',
      OIDC_CLIENT_SECRET: 'hub secret',
    }
    hub = await startHub(readConfig(settings), pino({ level: 'silent' }))
    provider.people.set('1001', { preferred_username: 'ada', name: 'Ada Lovelace' })
  })
  afterAll(async () => {
    await hub?.stop()
    await provider?.stop()
    await rm(dataDir, { recursive: true, force: true })
  })
  return {
    get provider() {
      return provider
    },
    get hub() {
      return hub
    },
    database,
    at: (path) => `${hub.url}${path}`,
  }
}
