/** The configuration, read and validated once. Only `main.ts` and the command line read `process.env`. */
import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { type CallerSettings, callerSettings } from './caller-settings.ts'
import { crossFaults, type Environment, environment, strayFaults } from './config-environment.ts'
import { ConfigError } from './config-error.ts'
import type { TrustProxy } from './config-values.ts'
import { type Usd, usd } from './money.ts'
import { type RunSettings, runSettings } from './run-settings.ts'
import { withSecretFiles } from './secret-files.ts'
import { defaultTiers, parseTierFile, type TierTable } from './tier-table.ts'
import { findUser, type IdRange, type UnixUser } from './unix-user.ts'

export interface S3Settings {
  readonly endpoint: string | undefined
  readonly region: string
  readonly bucket: string
  readonly accessKeyId: string | undefined
  readonly secretAccessKey: string | undefined
  readonly forcePathStyle: boolean
}

export type ObjectStoreSettings =
  | { readonly kind: 'disk'; readonly dir: string }
  | { readonly kind: 's3'; readonly s3: S3Settings }
  | { readonly kind: 'none' }

export interface OidcSettings {
  readonly issuer: string
  readonly audience: string
  readonly clientId: string | undefined
  readonly clientSecret: string | undefined
  readonly handleClaim: string
}

/** Everyone, or the owners of these handles. */
export type OwnerList = 'everyone' | readonly string[]

export interface KubernetesSettings {
  /** Null: the service account of the pod that the hub runs in. */
  readonly kubeconfig: string | null
  /** Null: the namespace of the kubeconfig or service account. */
  readonly namespace: string | null
  /** Path of the file with the Kubernetes Job of the deployed app. */
  readonly templateFile: string
  /** How long Kubernetes keeps a Job after its end. */
  readonly ttlSeconds: number
}

export interface HostedSettings {
  /** Null: nothing is hosted. */
  readonly appName: string | null
  /** Null: the backend is `process`. */
  readonly kubernetes: KubernetesSettings | null
  readonly command: string | null
  /** The uids of which each call has one for itself, where the hub can give them; null: `off`. */
  readonly uids: IdRange | null
  /** Whether HOSTED_UIDS names a range: calls are refused where the hub cannot give them. */
  readonly mustHaveUids: boolean
  /** The user that runs the command of calls without a uid of their own; null: the hub's own user. */
  readonly user: UnixUser | null
  readonly maxProcesses: number
  readonly owners: OwnerList
  /** For the sim template, replaces `owners`. */
  readonly simOwners: OwnerList
  /** Cost of the CPU host of the sim template's function, on top of its GPU. */
  readonly simHostRateUsdPerHour: Usd
  readonly allowanceUsd: Usd
  /** Time limit of a hosted check, from its claim on. */
  readonly checkMaxSeconds: number
  /** Cost of the CPU host of the check function. */
  readonly checkRateUsdPerHour: Usd
}

export interface MetricsSettings {
  /** The separate listener of `/metrics`; null: the hub's own listener serves it. */
  readonly listener: { readonly host: string; readonly port: number } | null
  /** The token that a scraper sends as `Authorization: Bearer`; null: none is required. */
  readonly token: string | null
}

export interface Config {
  readonly port: number
  readonly host: string
  /** Without a trailing slash; null until the hub listens, and always if it listens on every address. */
  readonly publicUrl: string | null
  /** Null: the embedded server under `dataDir`. */
  readonly databaseUrl: string | null
  readonly databasePoolMax: number
  readonly dataDir: string
  /** Null: generated for the embedded database and stored in `dataDir` with mode 0600. */
  readonly secret: string | null
  readonly objectStore: ObjectStoreSettings
  readonly oidc: OidcSettings | null
  readonly operatorHandle: string
  readonly storageQuotaBytes: number
  readonly gcGraceSeconds: number
  /** How long entries of the audit log are kept; 0: for good. */
  readonly auditKeptSeconds: number
  readonly uploadTtlSeconds: number
  readonly sessionTtlSeconds: number
  /** Whether people may sign in with a password; else the identity provider and printed sessions are left. */
  readonly localSignIn: boolean
  /** The longest lifetime of an endpoint session's token. */
  readonly endpointSessionTtlSeconds: number
  /** Base-2 logarithm of scrypt's N, for passwords that are set or used from now on. */
  readonly passwordCost: number
  readonly rateLimitPerMinute: number
  readonly callers: CallerSettings
  /** A manifest of the GraphQL documents that may be executed; null: any may. */
  readonly trustedDocuments: string | null
  readonly logLevel: Environment['LOG_LEVEL']
  readonly metrics: MetricsSettings
  /** Traces are sent to OTEL_EXPORTER_OTLP_ENDPOINT; null: there are none. */
  readonly traces: { readonly sampledShare: number } | null
  readonly corsOrigins: readonly string[]
  readonly trustProxy: TrustProxy
  readonly tiers: TierTable
  readonly runs: RunSettings
  readonly hosted: HostedSettings
  /** How long a spend hold waits for a person. */
  readonly spendHoldTtlSeconds: number
  /** How many checks an account may create in 24 hours; of data sets: how many its commits begin, 0 for none. */
  readonly dailyRobotChecks: number
  readonly dailyDatasetChecks: number
}

export { ConfigError }

/** Reads the configuration. An empty variable counts as unset. */
export function readConfig(env: Readonly<Record<string, string | undefined>>): Config {
  const given = Object.fromEntries(Object.entries(env).filter(([, value]) => value !== undefined && value !== ''))
  const { values: set, faults: unread } = withSecretFiles(given)
  if (unread.length > 0) throw new ConfigError(unread)
  const parsed = environment.safeParse(set)
  if (!parsed.success) {
    // Of several values in one setting, the message says what each must be.
    throw new ConfigError([
      ...new Set(parsed.error.issues.map((issue) => `${String(issue.path[0])}: ${issue.message}`)),
    ])
  }
  const values = parsed.data
  const faults = [...crossFaults(values), ...strayFaults(set, values)]
  if (faults.length > 0) throw new ConfigError(faults)
  const tiers = tierTable(values)
  const dataDir = resolve(values.HUB_DATA_DIR)
  return {
    port: values.PORT,
    host: values.HOST,
    publicUrl: values.PUBLIC_URL?.replace(/\/+$/, '') ?? null,
    databaseUrl: values.DATABASE_URL ?? null,
    databasePoolMax: values.DATABASE_POOL_MAX,
    dataDir,
    secret: values.HUB_SECRET ?? null,
    objectStore: objectStoreSettings(values, dataDir),
    oidc: oidcSettings(values),
    operatorHandle: values.OPERATOR_HANDLE,
    storageQuotaBytes: values.STORAGE_QUOTA_BYTES,
    gcGraceSeconds: values.GC_GRACE_S,
    auditKeptSeconds: values.AUDIT_RETENTION_S,
    uploadTtlSeconds: values.UPLOAD_TTL_S,
    sessionTtlSeconds: values.SESSION_TTL_S,
    localSignIn: values.LOCAL_SIGN_IN,
    endpointSessionTtlSeconds: values.ENDPOINT_SESSION_TTL_S,
    passwordCost: values.PASSWORD_COST,
    rateLimitPerMinute: values.RATE_LIMIT_PER_MINUTE,
    callers: callerSettings(values),
    trustedDocuments: values.TRUSTED_DOCUMENTS ?? null,
    logLevel: values.LOG_LEVEL,
    metrics: metricsSettings(values),
    traces: values.OTEL_EXPORTER_OTLP_ENDPOINT === undefined ? null : { sampledShare: values.OTEL_TRACES_SAMPLER_ARG },
    corsOrigins: values.CORS_ORIGINS,
    trustProxy: values.TRUST_PROXY,
    tiers,
    runs: runSettings(values),
    hosted: hostedSettings(values, 'HOSTED_UIDS' in set),
    spendHoldTtlSeconds: values.SPEND_HOLD_TTL_S,
    ...{ dailyRobotChecks: values.ROBOT_CHECK_DAILY_QUOTA, dailyDatasetChecks: values.DATASET_CHECK_DAILY_QUOTA },
  }
}

/** The listener's URL for processes on this machine; every interface includes loopback. */
export function addressUrl({ host, port }: Pick<Config, 'host' | 'port'>): string {
  const name = host === '0.0.0.0' ? '127.0.0.1' : host === '::' ? '[::1]' : host.includes(':') ? `[${host}]` : host
  return `http://${name}:${port}`
}

/** Whether the hub listens on every address: only a request shows which one a client uses. */
export function listensEverywhere({ host, publicUrl }: Pick<Config, 'host' | 'publicUrl'>): boolean {
  return publicUrl === null && (host === '0.0.0.0' || host === '::')
}

function tierTable({ HARDWARE_TIERS_FILE: file }: Environment): TierTable {
  if (!file) return defaultTiers
  let text: string
  try {
    text = readFileSync(file, 'utf8')
  } catch (error) {
    throw new ConfigError([`HARDWARE_TIERS_FILE: ${file} cannot be read: ${messageOf(error)}`])
  }
  try {
    return parseTierFile(text)
  } catch (error) {
    throw new ConfigError([`HARDWARE_TIERS_FILE: ${file}: ${messageOf(error)}`])
  }
}

const messageOf = (error: unknown) => (error instanceof Error ? error.message : String(error))

function hostedSettings(values: Environment, hasUids: boolean): HostedSettings {
  const ownerList = (list: readonly string[] = [values.OPERATOR_HANDLE]): OwnerList =>
    list.includes('*') ? 'everyone' : list
  return {
    appName: values.HOSTED_APP_NAME ?? null,
    kubernetes: kubernetesSettings(values),
    command: values.HOSTED_COMMAND ?? null,
    uids: values.HOSTED_UIDS,
    mustHaveUids: hasUids && hostedUids(values.HOSTED_UIDS),
    user: values.HOSTED_USER === undefined ? null : hostedUser(values.HOSTED_USER),
    maxProcesses: values.HOSTED_MAX_PROCESSES,
    owners: ownerList(values.HOSTED_OWNERS),
    simOwners: ownerList(values.SIM_HOSTED_OWNERS),
    simHostRateUsdPerHour: usd(values.SIM_HOST_RATE_USD_PER_HOUR),
    allowanceUsd: usd(values.HOSTED_ALLOWANCE_USD),
    checkMaxSeconds: values.HOSTED_CHECK_MAX_S,
    checkRateUsdPerHour: usd(values.CHECK_HOST_RATE_USD_PER_HOUR),
  }
}

function metricsSettings({ METRICS_HOST: host = '127.0.0.1', METRICS_PORT: port, METRICS_TOKEN: token }: Environment) {
  return { listener: port === undefined ? null : { host, port }, token: token ?? null }
}

function kubernetesSettings(values: Environment): KubernetesSettings | null {
  if (values.HOSTED_BACKEND !== 'kubernetes' || !values.HOSTED_KUBE_TEMPLATE) return null
  return {
    kubeconfig: values.HOSTED_KUBECONFIG === undefined ? null : resolve(values.HOSTED_KUBECONFIG),
    namespace: values.HOSTED_KUBE_NAMESPACE ?? null,
    templateFile: resolve(values.HOSTED_KUBE_TEMPLATE),
    ttlSeconds: values.HOSTED_KUBE_TTL_S,
  }
}

const ROOT_ONLY = 'only a hub that runs as root can start processes as another user'

/** Whether a range is named, and not `off`. */
function hostedUids(uids: IdRange | null): boolean {
  if (uids !== null && process.getuid?.() !== 0) throw new ConfigError([`HOSTED_UIDS: ${ROOT_ONLY}`])
  return uids !== null
}

function hostedUser(name: string): UnixUser {
  const fault = (why: string) => new ConfigError([`HOSTED_USER: ${why}`])
  if (process.getuid?.() !== 0) throw fault(ROOT_ONLY)
  const user = findUser(name)
  if (user === null) throw fault(`${name} is not a user of this machine`)
  if (user.uid === 0) throw fault(`${name} is root, which has access to everything`)
  return user
}

function objectStoreSettings(values: Environment, dataDir: string): ObjectStoreSettings {
  if (values.OBJECT_STORE === 'none') return { kind: 'none' }
  if (values.OBJECT_STORE === 'disk') return { kind: 'disk', dir: resolve(dataDir, 'objects') }
  return {
    kind: 's3',
    s3: {
      endpoint: values.S3_ENDPOINT,
      region: values.S3_REGION,
      bucket: values.S3_BUCKET as string,
      accessKeyId: values.S3_ACCESS_KEY_ID,
      secretAccessKey: values.S3_SECRET_ACCESS_KEY,
      forcePathStyle: values.S3_FORCE_PATH_STYLE,
    },
  }
}

function oidcSettings(values: Environment): OidcSettings | null {
  if (!values.OIDC_ISSUER) return null
  return {
    issuer: values.OIDC_ISSUER,
    audience: (values.OIDC_AUDIENCE ?? values.OIDC_CLIENT_ID) as string,
    clientId: values.OIDC_CLIENT_ID,
    clientSecret: values.OIDC_CLIENT_SECRET,
    handleClaim: values.OIDC_HANDLE_CLAIM,
  }
}
