/** All settings, read and checked once. `main.ts` and the command line are the only readers of `process.env`. */
import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { z } from 'zod'
import { commaList, decimal, flag, handles, origins, proxies, type TrustProxy, url, whole } from './config-values.ts'
import { type Usd, usd } from './money.ts'
import { handleText, wordText } from './text-rules.ts'
import { defaultTiers, parseTierFile, type TierTable } from './tiers/tier-table.ts'

const environment = z.object({
  PORT: whole(0, 65_535).default(4000),
  HOST: z.string().min(1).default('127.0.0.1'),
  PUBLIC_URL: url.optional(),
  DATABASE_URL: z
    .string()
    .regex(/^postgres(ql)?:\/\//, 'must be a postgresql:// URL')
    .optional(),
  DATABASE_POOL_MAX: whole(2, 500).default(10),
  HUB_DATA_DIR: z.string().min(1).default('.hub'),
  HUB_SECRET: z.string().min(32, 'must have at least 32 characters').optional(),
  OBJECT_STORE: z.enum(['disk', 's3', 'none']).default('disk'),
  S3_ENDPOINT: url.optional(),
  S3_REGION: z.string().min(1).default('us-east-1'),
  S3_BUCKET: z.string().min(1).optional(),
  S3_ACCESS_KEY_ID: z.string().min(1).optional(),
  S3_SECRET_ACCESS_KEY: z.string().min(1).optional(),
  S3_FORCE_PATH_STYLE: flag.default(false),
  OIDC_ISSUER: url.optional(),
  OIDC_AUDIENCE: z.string().min(1).optional(),
  OIDC_CLIENT_ID: z.string().min(1).optional(),
  OIDC_CLIENT_SECRET: z.string().min(1).optional(),
  OIDC_HANDLE_CLAIM: z.string().min(1).default('preferred_username'),
  OPERATOR_HANDLE: handleText.default('hub'),
  STORAGE_QUOTA_BYTES: whole(0).default(100 * 1024 ** 3),
  GC_GRACE_S: whole(0).default(7 * 86_400),
  UPLOAD_TTL_S: whole(60).default(7 * 86_400),
  SESSION_TTL_S: whole(60).default(30 * 86_400),
  RATE_LIMIT_PER_MINUTE: whole(0).default(3000),
  LOG_LEVEL: z.enum(['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent']).default('info'),
  CORS_ORIGINS: origins.default([]),
  TRUST_PROXY: proxies.default(0),
  HARDWARE_TIERS_FILE: z.string().min(1).optional(),
  PLANNER_HEADROOM: decimal(10).default(0.2),
  EXTRA_TEMPLATES: commaList(z.array(wordText)).default([]),
  RUN_LEASE_SECONDS: whole(1, 86_400).default(300),
  RUN_MAX_ATTEMPTS: whole(1, 1000).default(5),
  RUN_DAILY_GPU_HOUR_QUOTA: decimal(1_000_000).default(24),
  COACH_MAX_ARTIFACT_BYTES: whole(1, 16 * 1024 ** 2).default(4 * 1024 ** 2),
  HOSTED_APP_NAME: wordText.optional(),
  HOSTED_BACKEND: z.enum(['process', 'kubernetes']).default('process'),
  HOSTED_COMMAND: z.string().min(1).optional(),
  HOSTED_OWNERS: handles.optional(),
  SIM_HOSTED_OWNERS: handles.optional(),
  SIM_HOST_RATE_USD_PER_HOUR: decimal(10_000).default(0.35),
  HOSTED_ALLOWANCE_USD: decimal(1_000_000).default(5),
})

export type Environment = z.output<typeof environment>

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

export interface HostedSettings {
  /** Null: nothing hosted is configured. */
  readonly appName: string | null
  readonly backend: Environment['HOSTED_BACKEND']
  readonly command: string | null
  readonly owners: OwnerList
  /** Of the sim template, in the place of `owners`. */
  readonly simOwners: OwnerList
  /** What the CPU host of the sim template's function costs beside its GPU. */
  readonly simHostRateUsdPerHour: Usd
  readonly allowanceUsd: Usd
}

export interface RunSettings {
  readonly leaseSeconds: number
  readonly maxAttempts: number
  readonly dailyGpuHourQuota: number
  readonly maxArtifactBytes: number
  /** Templates that the deployment's own runners know. */
  readonly extraTemplates: readonly string[]
  /** The part of an estimate that a tier must have on top of it. */
  readonly headroom: number
}

export interface Config {
  readonly port: number
  readonly host: string
  /** Without a trailing slash; null until the listening address is known, and for good on a hub that listens on every address. */
  readonly publicUrl: string | null
  /** Null: the embedded server under `dataDir`. */
  readonly databaseUrl: string | null
  readonly databasePoolMax: number
  readonly dataDir: string
  /** Null: made on the embedded default and kept in `dataDir` with mode 0600. */
  readonly secret: string | null
  readonly objectStore: ObjectStoreSettings
  readonly oidc: OidcSettings | null
  readonly operatorHandle: string
  readonly storageQuotaBytes: number
  readonly gcGraceSeconds: number
  readonly uploadTtlSeconds: number
  readonly sessionTtlSeconds: number
  readonly rateLimitPerMinute: number
  readonly logLevel: Environment['LOG_LEVEL']
  readonly corsOrigins: readonly string[]
  readonly trustProxy: TrustProxy
  readonly tiers: TierTable
  readonly runs: RunSettings
  readonly hosted: HostedSettings
}

/** Thrown with every fault of the environment in one message, a line each, naming the variable and of values only files and folders. */
export class ConfigError extends Error {
  constructor(faults: readonly string[]) {
    super(`The settings do not hold:\n${faults.map((fault) => `  ${fault}`).join('\n')}`)
    this.name = 'ConfigError'
  }
}

/** Reads the settings. An empty variable counts as unset. */
export function readConfig(env: Readonly<Record<string, string | undefined>>): Config {
  const set = Object.fromEntries(Object.entries(env).filter(([, value]) => value !== undefined && value !== ''))
  const parsed = environment.safeParse(set)
  if (!parsed.success) {
    throw new ConfigError(parsed.error.issues.map((issue) => `${issue.path.join('.')}: ${issue.message}`))
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
    uploadTtlSeconds: values.UPLOAD_TTL_S,
    sessionTtlSeconds: values.SESSION_TTL_S,
    rateLimitPerMinute: values.RATE_LIMIT_PER_MINUTE,
    logLevel: values.LOG_LEVEL,
    corsOrigins: values.CORS_ORIGINS,
    trustProxy: values.TRUST_PROXY,
    tiers,
    runs: {
      leaseSeconds: values.RUN_LEASE_SECONDS,
      maxAttempts: values.RUN_MAX_ATTEMPTS,
      dailyGpuHourQuota: values.RUN_DAILY_GPU_HOUR_QUOTA,
      maxArtifactBytes: values.COACH_MAX_ARTIFACT_BYTES,
      extraTemplates: values.EXTRA_TEMPLATES,
      headroom: values.PLANNER_HEADROOM,
    },
    hosted: hostedSettings(values),
  }
}

/** Where a process on this machine reaches the listener: every interface is also the loopback one. */
export function addressUrl({ host, port }: Pick<Config, 'host' | 'port'>): string {
  const name = host === '0.0.0.0' ? '127.0.0.1' : host === '::' ? '[::1]' : host.includes(':') ? `[${host}]` : host
  return `http://${name}:${port}`
}

/** No address of its own: which of the machine's a client uses, only its request tells. */
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

function hostedSettings(values: Environment): HostedSettings {
  const ownerList = (list: readonly string[] = [values.OPERATOR_HANDLE]): OwnerList =>
    list.includes('*') ? 'everyone' : list
  return {
    appName: values.HOSTED_APP_NAME ?? null,
    backend: values.HOSTED_BACKEND,
    command: values.HOSTED_COMMAND ?? null,
    owners: ownerList(values.HOSTED_OWNERS),
    simOwners: ownerList(values.SIM_HOSTED_OWNERS),
    simHostRateUsdPerHour: usd(values.SIM_HOST_RATE_USD_PER_HOUR),
    allowanceUsd: usd(values.HOSTED_ALLOWANCE_USD),
  }
}

/** Settings that only hold together. */
function crossFaults(values: Environment): string[] {
  const faults: string[] = []
  if (values.DATABASE_URL && !values.HUB_SECRET)
    faults.push('HUB_SECRET: is required with DATABASE_URL (every instance needs the same one)')
  if (values.OBJECT_STORE === 's3' && !values.S3_BUCKET) faults.push('S3_BUCKET: is required with OBJECT_STORE=s3')
  if (Boolean(values.S3_ACCESS_KEY_ID) !== Boolean(values.S3_SECRET_ACCESS_KEY)) {
    faults.push('S3_ACCESS_KEY_ID, S3_SECRET_ACCESS_KEY: set both or neither')
  }
  if (values.OIDC_ISSUER && !values.OIDC_AUDIENCE && !values.OIDC_CLIENT_ID) {
    faults.push('OIDC_AUDIENCE: is required with OIDC_ISSUER (or OIDC_CLIENT_ID, which then is the audience)')
  }
  if (values.OIDC_CLIENT_SECRET && !values.OIDC_CLIENT_ID)
    faults.push('OIDC_CLIENT_ID: is required with OIDC_CLIENT_SECRET')
  return faults
}

/** Settings of a part that is not switched on: whoever sets them means that part, and would else run without it. */
function strayFaults(set: Readonly<Record<string, unknown>>, values: Environment): string[] {
  const strays = (prefix: string, switchOn: string) =>
    Object.keys(environment.shape)
      .filter((name) => name.startsWith(prefix) && name in set)
      .map((name) => `${name}: is of no use without ${switchOn}; set that too, or unset ${name}`)
  return [
    ...(values.OBJECT_STORE === 'disk' ? strays('S3_', 'OBJECT_STORE=s3') : []),
    ...(values.OIDC_ISSUER ? [] : strays('OIDC_', 'OIDC_ISSUER')),
  ]
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
