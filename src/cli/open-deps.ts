/** What an operator's command works with: the deployment's own database and keys, whether or not a server runs. */
import pino from 'pino'
import { type Auth, openAuth } from '../auth/auth.ts'
import { readConfig } from '../config.ts'
import { openDatabase } from '../open-database.ts'
import { startFailure } from '../start-failure.ts'

/** Opens the database that the settings name (migrating it), does `work` and closes it again, also when `work` fails. */
export async function withAuth<T>(work: (auth: Auth) => Promise<T>): Promise<T> {
  const config = readConfig(process.env)
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
