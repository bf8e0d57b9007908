/** `hub doctor`: checks the configuration of a deployment and whether each part responds. Changes nothing and prints no secret. */
import { access, constants } from 'node:fs/promises'
import { spawnFault, spawnWarning } from '../hosting/spawn-hosted.ts'
import { type Config, readConfig, type S3Settings } from '../platform/config.ts'
import { startEmbeddedPostgres } from '../store/embedded-postgres.ts'
import { pendingMigrations } from '../store/migrate.ts'
import { openS3Store } from '../store/objects/s3.ts'
import type { ClientIo } from './client-output.ts'
import { missingHub } from './open-deps.ts'

export interface DoctorReport {
  readonly ok: boolean
  readonly database: {
    readonly kind: 'embedded' | 'external'
    readonly reachable: boolean
    readonly pendingMigrations: readonly string[]
    readonly fault: string | null
  }
  readonly objectStore: {
    readonly kind: Config['objectStore']['kind']
    readonly place: string | null
    readonly fault: string | null
  }
  readonly signIn: {
    readonly configured: boolean
    readonly issuer: string | null
    readonly browser: boolean
    readonly reachable: boolean | null
  }
  readonly hosted: {
    readonly configured: boolean
    /** Why hosted runs would fail; null if hosted runs are not configured. */
    readonly fault: string | null
    /** What hosted processes could access of the hub; null if nothing, or if hosted runs are not configured. */
    readonly warning: string | null
  }
  readonly publicUrl: string | null
}

const TIMEOUT_MS = 5000

/** Checks every part. Throws only for an invalid configuration. */
export async function runDoctor({ env }: Pick<ClientIo, 'env'>): Promise<DoctorReport> {
  const config = readConfig(env)
  const database = await checkDatabase(config)
  const objectStore = await checkObjectStore(config)
  const signIn = await checkSignIn(config)
  const configured = config.hosted.appName !== null
  const hosted = {
    configured,
    fault: configured ? spawnFault(config) : null,
    warning: configured ? spawnWarning(config) : null,
  }
  const ok =
    database.reachable &&
    database.pendingMigrations.length === 0 &&
    objectStore.fault === null &&
    signIn.reachable !== false &&
    hosted.fault === null
  return { ok, database, objectStore, signIn, hosted, publicUrl: config.publicUrl }
}

async function checkDatabase(config: Config): Promise<DoctorReport['database']> {
  const kind = config.databaseUrl === null ? 'embedded' : 'external'
  const missing = await missingHub(config)
  if (missing !== null) return { kind, reachable: false, pendingMigrations: [], fault: missing }
  try {
    const embedded = config.databaseUrl === null ? await startEmbeddedPostgres({ dataDir: config.dataDir }) : null
    try {
      const pending = await pendingMigrations(config.databaseUrl ?? embedded?.url ?? '')
      return { kind, reachable: true, pendingMigrations: pending, fault: null }
    } finally {
      await embedded?.stop()
    }
  } catch (error) {
    return { kind, reachable: false, pendingMigrations: [], fault: error instanceof Error ? error.message : 'unknown' }
  }
}

async function checkObjectStore({ objectStore: store }: Config): Promise<DoctorReport['objectStore']> {
  if (store.kind === 'none') return { kind: 'none', place: null, fault: null }
  if (store.kind === 's3') {
    const place = store.s3.endpoint ?? `AWS ${store.s3.region}`
    return { kind: 's3', place: `${place}, bucket ${store.s3.bucket}`, fault: await s3Fault(store.s3) }
  }
  const fault = await access(store.dir, constants.R_OK | constants.W_OK).then(
    () => null,
    (error: NodeJS.ErrnoException) => (error.code === 'ENOENT' ? null : `${store.dir} cannot be written`),
  )
  return { kind: 'disk', place: store.dir, fault }
}

/** Requests the bucket with the hub's own credentials. */
async function s3Fault(settings: S3Settings): Promise<string | null> {
  const store = openS3Store(settings)
  try {
    await store.ping(AbortSignal.timeout(TIMEOUT_MS))
    return null
  } catch (error) {
    return error instanceof Error ? error.message : 'no response'
  } finally {
    await store.close()
  }
}

async function checkSignIn({ oidc }: Config): Promise<DoctorReport['signIn']> {
  if (oidc === null) return { configured: false, issuer: null, browser: false, reachable: null }
  const address = `${oidc.issuer.replace(/\/$/, '')}/.well-known/openid-configuration`
  return {
    configured: true,
    issuer: oidc.issuer,
    browser: oidc.clientId !== undefined,
    reachable: await responds(address),
  }
}

/** Whether the URL returns any HTTP response. */
async function responds(address: string): Promise<boolean> {
  return fetch(address, { signal: AbortSignal.timeout(TIMEOUT_MS), redirect: 'manual' }).then(
    () => true,
    () => false,
  )
}
