/** Process-wide state of authentication: signing keys, the identity provider, and when credentials were used. */
import { join } from 'node:path'
import type { Logger } from 'pino'
import { type Config, ConfigError } from '../platform/config.ts'
import type { Db } from '../store/db.ts'
import { SealError } from '../store/seal.ts'
import { type CredentialUsage, openCredentialUsage } from './credential-usage.ts'
import { type Oidc, openOidc } from './oidc.ts'
import { openSigningKeys, type SigningKeys } from './signing-keys.ts'

export interface Auth {
  readonly config: Config
  readonly log: Logger
  readonly db: Db
  /** HUB_SECRET: also seals the short-lived cookies of a sign-in. */
  readonly secret: string
  readonly keys: SigningKeys
  readonly usage: CredentialUsage
  /** Null without OIDC_ISSUER. */
  readonly oidc: Oidc | null
  close(): Promise<void>
}

/**
 * Opens authentication; creates the first signing key if there is none. `config.publicUrl` determines the cookies'
 * Secure flag and the callback URL.
 */
export async function openAuth(deps: { config: Config; log: Logger; db: Db; secret: string }): Promise<Auth> {
  const keys = await openSigningKeys(deps.db, deps.secret).catch((error: unknown) => {
    throw error instanceof SealError ? foreignSecret(deps.config) : error
  })
  const usage = openCredentialUsage(deps.db, deps.log)
  const oidc = deps.config.oidc === null ? null : openOidc(deps.db, usage, deps.config.oidc)
  return { ...deps, keys, usage, oidc, close: () => usage.close() }
}

/** The error for a secret that does not open the stored keys, for example after a restore without the secret. */
function foreignSecret({ secret, dataDir }: Config): ConfigError {
  const sealed = 'with which the keys in the database were sealed'
  return new ConfigError([
    secret === null
      ? `HUB_DATA_DIR: ${join(dataDir, 'secret')} is not the secret ${sealed}; restore that file from the same backup as the database`
      : `HUB_SECRET: is another secret than the one ${sealed}`,
  ])
}
