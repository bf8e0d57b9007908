/** Opens the deployment's own database and keys for operator commands, whether or not a server is running. */

import type { ClientIo } from 'hub/client-output'
import pino from 'pino'
import { type Auth, openAuth } from '../auth/auth.ts'
import { openDatabase } from '../open-database.ts'
import { type Config, readConfig } from '../platform/config.ts'
import { startFailure } from '../start-failure.ts'
import { hasCluster } from '../store/embedded-cluster.ts'

/**
 * An error message if there is no hub here; null if there is one or `DATABASE_URL` is set. Only starting a hub creates
 * one.
 */
export async function missingHub({ databaseUrl, dataDir }: Config): Promise<string | null> {
  if (databaseUrl !== null || (await hasCluster(dataDir))) return null
  return `No hub in ${dataDir}. Set HUB_DATA_DIR to the hub's data folder (printed at its start) or DATABASE_URL to its database; \`npm start\` creates a new hub.`
}

/** Opens and migrates the configured database, runs `work`, and closes the database even if `work` fails. */
export async function withAuth<T>({ env }: Pick<ClientIo, 'env'>, work: (auth: Auth) => Promise<T>): Promise<T> {
  const config = readConfig(env)
  const missing = await missingHub(config)
  if (missing !== null) throw new Error(missing)
  const log = pino({ level: 'silent' })
  const database = await openDatabase(config, log).catch((cause: unknown) => {
    // The same one-line explanation as `npm start` gives.
    const line = startFailure(cause, config)
    throw line === null ? cause : new Error(line, { cause })
  })
  try {
    const auth = await openAuth({ config, log, db: database.db, secret: database.secret })
    try {
      return await work(auth)
    } finally {
      await auth.close()
    }
  } finally {
    await database.close()
  }
}
