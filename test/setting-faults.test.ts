/** Every setting with a value that does not hold: one line that names it, without the value of a secret, and nothing made. */
import { existsSync } from 'node:fs'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pino } from 'pino'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Config, readConfig } from '../src/platform/config.ts'
import { environment } from '../src/platform/config-environment.ts'
import { secretSettings } from '../src/platform/secret-files.ts'
import { startFailure } from '../src/start-failure.ts'
import { startHub } from '../src/start-hub.ts'

const SECRET = 'a-secret-that-nobody-prints'
let dir: string
beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'hub-faults-'))
  await writeFile(join(dir, 'job.yaml'), JOB)
  await writeFile(join(dir, 'broken.yaml'), `users: [{ token: ${SECRET}`)
  await writeFile(join(dir, 'broken.json'), `{ "token": "${SECRET}" oops`)
})
afterAll(() => rm(dir, { recursive: true, force: true }))

const JOB = `apiVersion: batch/v1
kind: Job
spec:
  template:
    spec:
      containers:
        - name: call
          image: registry.example/app:1
`

type Settings = Readonly<Record<string, string>>

/** The line of a start that fails before it makes anything. */
async function lineOf(settings: Settings): Promise<string> {
  const dataDir = join(dir, `data-${Math.random()}`)
  let config: Config | null = null
  try {
    config = readConfig({ PORT: '0', HUB_DATA_DIR: dataDir, ...settings })
    await (await startHub(config, pino({ level: 'silent' }))).stop()
  } catch (error) {
    const line = startFailure(error, config ?? { databaseUrl: null, dataDir })
    if (line === null) throw error
    expect(line.split('\n')).toHaveLength(1)
    expect(line).not.toContain(SECRET)
    expect(existsSync(dataDir)).toBe(false)
    return line
  }
  throw new Error('The hub started.')
}

const s3 = { OBJECT_STORE: 's3', S3_BUCKET: 'b' }
const oidc = { OIDC_ISSUER: 'https://id.example' }
const hosted = { HOSTED_APP_NAME: 'app', HOSTED_BACKEND: 'kubernetes', PUBLIC_URL: 'https://hub.example' }

/** A value of each that does not hold, with what it needs besides. */
const bad: Readonly<Record<keyof typeof environment.shape, Settings>> = {
  LOCAL_SIGN_IN: { LOCAL_SIGN_IN: 'maybe' },
  PORT: { PORT: '65536' },
  HOST: { HOST: '192.0.2.1' },
  WORKERS: { WORKERS: '0' },
  PUBLIC_URL: { PUBLIC_URL: 'hub.example' },
  DATABASE_URL: { DATABASE_URL: `mysql://u:${SECRET}@x/y` },
  DATABASE_POOL_MAX: { DATABASE_POOL_MAX: '1' },
  HUB_DATA_DIR: { HUB_DATA_DIR: '/proc/hub' },
  HUB_SECRET: { HUB_SECRET: SECRET },
  OBJECT_STORE: { OBJECT_STORE: 'tape' },
  S3_ENDPOINT: { ...s3, S3_ENDPOINT: `ftp://u:${SECRET}@x` },
  S3_REGION: { S3_REGION: 'x' },
  S3_BUCKET: { OBJECT_STORE: 's3' },
  S3_ACCESS_KEY_ID: { ...s3, S3_ACCESS_KEY_ID: SECRET },
  S3_SECRET_ACCESS_KEY: { ...s3, S3_SECRET_ACCESS_KEY: SECRET },
  S3_FORCE_PATH_STYLE: { ...s3, S3_FORCE_PATH_STYLE: 'maybe' },
  OIDC_ISSUER: { OIDC_ISSUER: 'id.example' },
  OIDC_AUDIENCE: oidc,
  OIDC_CLIENT_ID: { ...oidc, OIDC_AUDIENCE: 'hub', OIDC_CLIENT_SECRET: SECRET },
  OIDC_CLIENT_SECRET: { OIDC_CLIENT_SECRET_FILE: '/nowhere' },
  OIDC_HANDLE_CLAIM: { OIDC_HANDLE_CLAIM: 'name' },
  OPERATOR_HANDLE: { OPERATOR_HANDLE: 'Not A Handle' },
  STORAGE_QUOTA_BYTES: { STORAGE_QUOTA_BYTES: '10G' },
  GC_GRACE_S: { GC_GRACE_S: '-1' },
  UPLOAD_TTL_S: { UPLOAD_TTL_S: '59' },
  METRICS_ARCHIVE_AFTER_S: { METRICS_ARCHIVE_AFTER_S: '-1' },
  LOG_RETENTION_S: { LOG_RETENTION_S: '-1' },
  AUDIT_RETENTION_S: { AUDIT_RETENTION_S: '86400' },
  SESSION_TTL_S: { SESSION_TTL_S: '59' },
  ENDPOINT_SESSION_TTL_S: { ENDPOINT_SESSION_TTL_S: '86401' },
  PASSWORD_COST: { PASSWORD_COST: '13' },
  RATE_LIMIT_PER_MINUTE: { RATE_LIMIT_PER_MINUTE: 'none' },
  ACCOUNT_PROCESSOR_S: { ACCOUNT_PROCESSOR_S: '61' },
  HELD_BYTES: { HELD_BYTES: '-1' },
  ARCHIVE_MAX_BYTES: { ARCHIVE_MAX_BYTES: '10 GiB' },
  WRITTEN_BYTES_PER_DAY: { WRITTEN_BYTES_PER_DAY: '8 GiB' },
  TRUSTED_DOCUMENTS: { TRUSTED_DOCUMENTS: '/nowhere' },
  LOG_LEVEL: { LOG_LEVEL: 'loud' },
  METRICS_PORT: { METRICS_PORT: '70000' },
  METRICS_HOST: { METRICS_HOST: '0.0.0.0' },
  METRICS_TOKEN: { METRICS_TOKEN: `${SECRET} and more` },
  OTEL_EXPORTER_OTLP_ENDPOINT: { OTEL_EXPORTER_OTLP_ENDPOINT: 'collector' },
  OTEL_TRACES_SAMPLER_ARG: { OTEL_TRACES_SAMPLER_ARG: '1.1' },
  CORS_ORIGINS: { CORS_ORIGINS: 'localhost:3000' },
  TRUST_PROXY: { TRUST_PROXY: 'yes' },
  HARDWARE_TIERS_FILE: { HARDWARE_TIERS_FILE: '/nowhere' },
  PLANNER_HEADROOM: { PLANNER_HEADROOM: '11' },
  EXTRA_TEMPLATES: { EXTRA_TEMPLATES: `x`.repeat(1000) },
  RUN_LEASE_SECONDS: { RUN_LEASE_SECONDS: '0' },
  RUN_MAX_ATTEMPTS: { RUN_MAX_ATTEMPTS: '0' },
  RUN_DAILY_GPU_HOUR_QUOTA: { RUN_DAILY_GPU_HOUR_QUOTA: '-1' },
  ROBOT_CHECK_DAILY_QUOTA: { ROBOT_CHECK_DAILY_QUOTA: '0' },
  DATASET_CHECK_DAILY_QUOTA: { DATASET_CHECK_DAILY_QUOTA: '-1' },
  COACH_MAX_ARTIFACT_BYTES: { COACH_MAX_ARTIFACT_BYTES: '0' },
  HOSTED_APP_NAME: { HOSTED_APP_NAME: 'x'.repeat(1000) },
  HOSTED_BACKEND: { HOSTED_BACKEND: 'cloud' },
  HOSTED_COMMAND: {},
  HOSTED_USER: { HOSTED_USER: '0' },
  HOSTED_UIDS: { HOSTED_UIDS: '1-2' },
  HOSTED_MAX_PROCESSES: { HOSTED_MAX_PROCESSES: '0' },
  HOSTED_KUBECONFIG: { HOSTED_KUBECONFIG: '/nowhere' },
  HOSTED_KUBE_NAMESPACE: { HOSTED_BACKEND: 'kubernetes', HOSTED_KUBE_NAMESPACE: 'A_B' },
  HOSTED_KUBE_TEMPLATE: hosted,
  HOSTED_KUBE_TTL_S: { HOSTED_BACKEND: 'kubernetes', HOSTED_KUBE_TTL_S: '299' },
  HOSTED_OWNERS: { HOSTED_OWNERS: 'Not A Handle' },
  SIM_HOSTED_OWNERS: { SIM_HOSTED_OWNERS: 'Not A Handle' },
  SIM_HOST_RATE_USD_PER_HOUR: { SIM_HOST_RATE_USD_PER_HOUR: '0.12345' },
  HOSTED_ALLOWANCE_USD: { HOSTED_ALLOWANCE_USD: '$5' },
  SPEND_HOLD_TTL_S: { SPEND_HOLD_TTL_S: '59' },
  HOSTED_CHECK_MAX_S: { HOSTED_CHECK_MAX_S: '59' },
  CHECK_HOST_RATE_USD_PER_HOUR: { CHECK_HOST_RATE_USD_PER_HOUR: '-1' },
}
/** Any text is a command of a shell. */
const anyText = ['HOSTED_COMMAND']

describe('a setting that does not hold is named in one line', () => {
  it('every setting has an example', () => {
    expect(Object.keys(bad).sort()).toEqual(Object.keys(environment.shape).sort())
  })

  it.each(Object.entries(bad).filter(([name]) => !anyText.includes(name)))('%s', async (name, settings) => {
    // A setting that is missing next to another is named, and so is one of a pair.
    expect(await lineOf(settings)).toMatch(new RegExp(`^(Invalid configuration: )?(\\w+, )?${name}(_FILE)?[:,] \\S`))
  })

  it.each(secretSettings)('%s_FILE', async (name) => {
    const says = new RegExp(`^Invalid configuration: ${name}_FILE: /nowhere cannot be read: ENOENT`)
    expect(await lineOf({ [`${name}_FILE`]: '/nowhere' })).toMatch(says)
  })

  it.each([
    ['HOSTED_KUBE_TEMPLATE', 'that is not there', { HOSTED_KUBE_TEMPLATE: '/nowhere' }],
    ['HOSTED_KUBE_TEMPLATE', 'that is not YAML', { HOSTED_KUBE_TEMPLATE: 'broken.yaml' }],
    ['HOSTED_KUBECONFIG', 'that is not there', { HOSTED_KUBECONFIG: '/nowhere' }],
    ['HOSTED_KUBECONFIG', 'that is not YAML', { HOSTED_KUBECONFIG: 'broken.yaml' }],
    ['HOSTED_KUBECONFIG', 'that is not JSON', { HOSTED_KUBECONFIG: 'broken.json' }],
  ])('%s, a file %s', async (name, _, files: Settings) => {
    const placed = Object.entries(files).map(([key, file]) => [key, file.startsWith('/') ? file : join(dir, file)])
    const template = { HOSTED_KUBE_TEMPLATE: join(dir, 'job.yaml') }
    const line = await lineOf({ ...hosted, ...template, ...Object.fromEntries(placed) })
    expect(line).toMatch(new RegExp(`^Invalid configuration: ${name}: \\S`))
  })
})
