/** The environment variables of a hub, and the rules between them. */

import { handleText, wordText } from '@hub/formats/text-rules'
import { z } from 'zod'
import {
  bearerToken,
  commaList,
  decimal,
  flag,
  handles,
  idRange,
  origins,
  proxies,
  url,
  userName,
  whole,
} from './config-values.ts'

/**
 * Uids of hosted calls. By convention no one has them: they are above what 16 bits hold and below what is lent to
 * containers (`/etc/subuid`).
 */
const DEFAULT_UIDS = { first: 70_000, last: 79_999 }

/**
 * Seconds that entries of the audit log are kept at least, which a trigger holds too: what a spend cap did in this
 * month is read from them.
 */
export const AUDIT_KEPT_LEAST = 32 * 86_400

/** Every variable with its format and default. */
export const environment = z.object({
  PORT: whole(0, 65_535).default(4000),
  HOST: z.string().min(1).default('127.0.0.1'),
  WORKERS: whole(1, 64).default(1),
  PUBLIC_URL: url.optional(),
  DATABASE_URL: z
    .string()
    .regex(/^postgres(ql)?:\/\//, 'must be a postgresql:// URL')
    .refine((text) => URL.canParse(text), 'cannot be read; its form is postgresql://user:password@host:port/database')
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
  METRICS_ARCHIVE_AFTER_S: whole(0).default(7 * 86_400),
  LOG_RETENTION_S: whole(0).default(0),
  AUDIT_RETENTION_S: whole(0)
    .refine((seconds) => seconds === 0 || seconds >= AUDIT_KEPT_LEAST, `must be 0 or at least ${AUDIT_KEPT_LEAST}`)
    .default(0),
  SESSION_TTL_S: whole(60).default(30 * 86_400),
  LOCAL_SIGN_IN: flag.default(true),
  ENDPOINT_SESSION_TTL_S: whole(1, 86_400).default(3600),
  PASSWORD_COST: whole(14, 20).default(17),
  RATE_LIMIT_PER_MINUTE: whole(0).default(3000),
  WRITTEN_BYTES_PER_DAY: whole(0).default(16 * 1024 ** 3),
  ACCOUNT_PROCESSOR_S: whole(0, 60).default(40),
  HELD_BYTES: whole(0).default(1024 ** 3),
  ARCHIVE_MAX_BYTES: whole(0).default(10 * 1024 ** 3),
  TRUSTED_DOCUMENTS: z.string().min(1).optional(),
  LOG_LEVEL: z.enum(['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent']).default('info'),
  METRICS_PORT: whole(0, 65_535).optional(),
  METRICS_HOST: z.string().min(1).optional(),
  METRICS_TOKEN: bearerToken.optional(),
  OTEL_EXPORTER_OTLP_ENDPOINT: url.optional(),
  OTEL_TRACES_SAMPLER_ARG: decimal(1).default(1),
  CORS_ORIGINS: origins.default([]),
  TRUST_PROXY: proxies.default(0),
  HARDWARE_TIERS_FILE: z.string().min(1).optional(),
  PLANNER_HEADROOM: decimal(10).default(0.2),
  EXTRA_TEMPLATES: commaList(z.array(wordText)).default([]),
  RUN_LEASE_SECONDS: whole(1, 86_400).default(300),
  RUN_MAX_ATTEMPTS: whole(1, 1000).default(5),
  RUN_DAILY_GPU_HOUR_QUOTA: decimal(1_000_000).default(24),
  ROBOT_CHECK_DAILY_QUOTA: whole(1, 1_000_000).default(50),
  DATASET_CHECK_DAILY_QUOTA: whole(0, 1_000_000).default(200),
  COACH_MAX_ARTIFACT_BYTES: whole(1, 16 * 1024 ** 2).default(4 * 1024 ** 2),
  HOSTED_APP_NAME: wordText.optional(),
  HOSTED_BACKEND: z.enum(['process', 'kubernetes']).default('process'),
  HOSTED_COMMAND: z.string().min(1).optional(),
  HOSTED_USER: userName.optional(),
  HOSTED_UIDS: idRange.default(DEFAULT_UIDS),
  HOSTED_MAX_PROCESSES: whole(1, 10_000).default(8),
  HOSTED_KUBECONFIG: z.string().min(1).optional(),
  HOSTED_KUBE_NAMESPACE: z
    .string()
    .regex(/^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/, 'must be the name of a namespace')
    .optional(),
  HOSTED_KUBE_TEMPLATE: z.string().min(1).optional(),
  // At least 300 s: the sweep has to see how a Job ended.
  HOSTED_KUBE_TTL_S: whole(300, 30 * 86_400).default(3600),
  HOSTED_OWNERS: handles.optional(),
  SIM_HOSTED_OWNERS: handles.optional(),
  SIM_HOST_RATE_USD_PER_HOUR: decimal(10_000).default(0.35),
  HOSTED_ALLOWANCE_USD: decimal(1_000_000).default(5),
  SPEND_HOLD_TTL_S: whole(60, 31 * 86_400).default(86_400),
  HOSTED_CHECK_MAX_S: whole(60, 86_400).default(3600),
  CHECK_HOST_RATE_USD_PER_HOUR: decimal(10_000).default(0.2),
})

export type Environment = z.output<typeof environment>

/** Settings that depend on each other. */
export function crossFaults(values: Environment): string[] {
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
  if (values.METRICS_PORT !== undefined && values.METRICS_PORT !== 0 && values.METRICS_PORT === values.PORT)
    faults.push('METRICS_PORT: is the port of the hub itself (PORT); choose another, or unset it and set METRICS_TOKEN')
  if (values.METRICS_HOST && values.METRICS_PORT === undefined)
    faults.push('METRICS_HOST: has no effect without METRICS_PORT; set that too, or unset METRICS_HOST')
  const { HOSTED_UIDS: uids, HOSTED_MAX_PROCESSES: most } = values
  if (uids !== null && uids.last - uids.first + 1 < most)
    faults.push(`HOSTED_UIDS: has fewer ids than the ${most} calls of HOSTED_MAX_PROCESSES, and each has its own`)
  if (values.HOSTED_APP_NAME && values.HOSTED_BACKEND === 'kubernetes') {
    if (!values.HOSTED_KUBE_TEMPLATE)
      faults.push('HOSTED_KUBE_TEMPLATE: is required with HOSTED_BACKEND=kubernetes (a file with the Job of the app)')
    if (!values.PUBLIC_URL)
      faults.push('PUBLIC_URL: is required with HOSTED_BACKEND=kubernetes (the URL at which pods reach the hub)')
  }
  return faults
}

/**
 * Settings of a feature that is not enabled. Setting them means that the feature is wanted, and the hub would silently
 * run without it.
 */
export function strayFaults(set: Readonly<Record<string, unknown>>, values: Environment): string[] {
  const strays = (prefix: string, switchOn: string) =>
    Object.keys(environment.shape)
      .filter((name) => name.startsWith(prefix) && name in set)
      .map((name) => `${name}: has no effect without ${switchOn}; set that too, or unset ${name}`)
  return [
    ...(values.OBJECT_STORE === 'disk' ? strays('S3_', 'OBJECT_STORE=s3') : []),
    ...(values.OIDC_ISSUER ? [] : strays('OIDC_', 'OIDC_ISSUER')),
    ...(values.HOSTED_BACKEND === 'kubernetes' ? [] : strays('HOSTED_KUBE', 'HOSTED_BACKEND=kubernetes')),
  ]
}
