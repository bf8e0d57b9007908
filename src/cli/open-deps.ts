/** What an operator's command works with: the deployment's own database and keys, whether or not a server runs. */
import pino from 'pino'
import { type Auth, openAuth } from '../auth/auth.ts'
import { openDatabase } from '../open-database.ts'
import { type Config, readConfig } from '../platform/config.ts'
import { startFailure } from '../start-failure.ts'
import { hasCluster } from '../store/embedded-cluster.ts'

/** Why there is nothing to work on; null where there is a hub, or where the settings name a database server. Only starting a hub makes one. */
export async function noHubHere({ databaseUrl, dataDir }: Config): Promise<string | null> {
  if (databaseUrl !== null || (await hasCluster(dataDir))) return null
  return `No hub here: ${dataDir} holds none. Name the data folder of yours in HUB_DATA_DIR (its start prints it), or its database in DATABASE_URL; \`npm start\` makes a new one.`
}

/** Opens the database that the settings name (migrating it), does `work` and closes it again, also when `work` fails. */
export async function withAuth<T>(work: (auth: Auth) => Promise<T>): Promise<T> {
  const config = readConfig(process.env)
  const missing = await noHubHere(config)
  if (missing !== null) throw new Error(missing)
  const log = pino({ level: 'silent' })
  const database = await openDatabase(config, log).catch((cause: unknown) => {
    // The line that `npm start` would end with names what to look at.
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
