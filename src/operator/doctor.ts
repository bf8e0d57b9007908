/**
 * `hub doctor`: checks the configuration of a deployment and whether each part works. Leaves nothing behind and prints
 * no secret.
 */

import type { ClientIo } from 'hub/client-output'
import { cannotHost, isolationOf, processFault, processRisk } from '../hosting/process/process-settings.ts'
import { type Config, readConfig } from '../platform/config.ts'
import { rangeText } from '../platform/unix-user.ts'
import { hubVersion } from '../platform/version.ts'
import { startFailure } from '../start-failure.ts'
import { startEmbeddedPostgres } from '../store/embedded-postgres.ts'
import { pendingMigrations } from '../store/migrate.ts'
import { type Check, fail, ok, warn } from './doctor-checks.ts'
import { type DatabaseFacts, databaseFacts } from './doctor-database.ts'
import {
  dataFolderCheck,
  diskCheck,
  publicUrlCheck,
  signInCheck,
  storeChecks,
  versionCheck,
} from './doctor-surroundings.ts'
import { missingHub } from './open-deps.ts'

export interface DoctorReport {
  /** Whether no check failed. */
  readonly ok: boolean
  readonly version: string
  readonly checks: readonly Check[]
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
    readonly backend: 'process' | 'kubernetes'
    /** Whether the cluster's API server answers; null without one to ask. */
    readonly reachable: boolean | null
    /** Why hosted runs would fail; null if hosted runs are not configured. */
    readonly fault: string | null
    /**
     * What hosted processes could access of the hub and of each other; null if nothing, or if hosted runs are not
     * configured.
     */
    readonly warning: string | null
  }
  readonly publicUrl: string | null
}

/** Checks every part. Throws only for an invalid configuration. */
export async function runDoctor({ env }: Pick<ClientIo, 'env'>): Promise<DoctorReport> {
  const config = readConfig(env)
  const found = await checkDatabase(config)
  const { report: database } = found
  const { store, signInChecks, hosted, checks } = await checkAround(config, found)
  return {
    ok: checks.every(({ status }) => status !== 'fail'),
    version: hubVersion,
    checks,
    database,
    objectStore: { kind: config.objectStore.kind, place: placeOf(config), fault: faultOf(store) },
    signIn: {
      configured: config.oidc !== null,
      issuer: config.oidc?.issuer ?? null,
      browser: config.oidc?.clientId !== undefined,
      reachable: config.oidc === null ? null : faultOf(signInChecks) === null,
    },
    hosted,
    publicUrl: config.publicUrl,
  }
}

/** The checks of the database, and those of everything else, in the order in which they are told. */
async function checkAround(config: Config, { checks: ofDatabase, kid }: DatabaseFacts) {
  const [store, signInChecks] = await Promise.all([storeChecks(config), signInCheck(config)])
  const hosted = await checkHosted(config)
  const checks = [
    versionCheck(),
    ...ofDatabase,
    ...(await diskCheck(config)),
    ...(await dataFolderCheck(config)),
    ...store,
    await publicUrlCheck(config, kid),
    ...signInChecks,
    ...hostedChecks(config, hosted),
  ]
  return { store, signInChecks, hosted, checks }
}

/** The same checks by a hub that runs, whose database is at `url`. */
export async function checkRunning(config: Config, url: string): Promise<readonly Check[]> {
  const facts = await databaseFacts(url, config, await pendingMigrations(url))
  return (await checkAround(config, facts)).checks
}

const faultOf = (checks: readonly Check[]) => checks.find(({ status }) => status === 'fail')?.detail ?? null

function placeOf({ objectStore: store }: Config): string | null {
  if (store.kind === 'none') return null
  if (store.kind === 'disk') return store.dir
  return `${store.s3.endpoint ?? `AWS ${store.s3.region}`}, bucket ${store.s3.bucket}`
}

function hostedChecks(config: Config, { configured, backend, fault, warning }: DoctorReport['hosted']): Check[] {
  if (!configured) return []
  if (fault !== null) return [fail('hosting', cannotHost(fault), 'see docs/operations.md, Hosting')]
  if (warning !== null) return [warn('hosting', warning, processRisk(config)?.fix ?? '')]
  const isolation = backend === 'process' ? isolationOf(config) : null
  const uids = isolation?.is === 'own-uid' ? `, each call with a uid of its own (${rangeText(isolation.uids)})` : ''
  return [ok('hosting', `${backend}${uids}`)]
}

async function checkHosted(config: Config): Promise<DoctorReport['hosted']> {
  const { appName, kubernetes } = config.hosted
  const backend = kubernetes ? 'kubernetes' : 'process'
  const silent = { configured: appName !== null, backend, reachable: null, fault: null, warning: null } as const
  if (appName === null) return silent
  if (!kubernetes) return { ...silent, fault: processFault(config), warning: processRisk(config)?.warning ?? null }
  const { kubernetesReport } = await import('../hosting/kubernetes/kubernetes-doctor.ts')
  return { ...silent, ...(await kubernetesReport(config, kubernetes)) }
}

interface FoundDatabase extends DatabaseFacts {
  readonly report: DoctorReport['database']
}

async function checkDatabase(config: Config): Promise<FoundDatabase> {
  const kind = config.databaseUrl === null ? 'embedded' : 'external'
  const unreachable = (fault: string, fix: string): FoundDatabase => ({
    report: { kind, reachable: false, pendingMigrations: [], fault },
    checks: [fail('database', fault, fix)],
    kid: null,
  })
  const missing = await missingHub(config)
  if (missing !== null)
    return unreachable(missing, 'set HUB_DATA_DIR or DATABASE_URL, or start a new hub with `npm start`')
  try {
    const embedded = config.databaseUrl === null ? await startEmbeddedPostgres({ dataDir: config.dataDir }) : null
    try {
      const url = config.databaseUrl ?? embedded?.url ?? ''
      const pending = await pendingMigrations(url)
      const facts = await databaseFacts(url, config, pending)
      return { report: { kind, reachable: true, pendingMigrations: pending, fault: null }, ...facts }
    } finally {
      await embedded?.stop()
    }
  } catch (error) {
    // The same words as a start has.
    const fault = startFailure(error, config) ?? (error instanceof Error ? error.message : 'unknown')
    return unreachable(fault, 'check DATABASE_URL, and that the server runs')
  }
}
