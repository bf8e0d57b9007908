/** What an operator's command works with: the deployment's own database and keys, whether or not a server runs. */
import pino from 'pino'
import { type Auth, openAuth } from '../auth/auth.ts'
import { readConfig } from '../config.ts'
import { openDatabase } from '../open-database.ts'

/** Opens the database that the settings name (migrating it), does `work` and closes it again, also when `work` fails. */
export async function withAuth<T>(work: (auth: Auth) => Promise<T>): Promise<T> {
  const config = readConfig(process.env)
  const log = pino({ level: 'silent' })
  const database = await openDatabase(config, log)
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
