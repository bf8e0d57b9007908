/** A connection of the operator's own for work that takes as long as it takes, while the server answers. */
import type pg from 'pg'
import { asUnavailable } from './db-errors.ts'
import { longWork, watchedClients } from './watched-clients.ts'

/** Connects. What COPY writes is the same whatever the server's and the user's defaults are. */
export async function connect(url: string): Promise<pg.Client> {
  const settings = {
    TimeZone: 'UTC',
    DateStyle: 'ISO',
    IntervalStyle: 'postgres',
    extra_float_digits: '1',
    client_encoding: 'UTF8',
    synchronize_seqscans: 'off',
    statement_timeout: '0',
    idle_in_transaction_session_timeout: '0',
  }
  const options = Object.entries(settings).map(([name, value]) => `-c ${name}=${value}`)
  const Client = watchedClients(url, longWork)
  const client = new Client({
    connectionString: url,
    application_name: 'hub backup',
    options: options.join(' '),
  })
  // A connection that is lost between two statements rejects the next one.
  client.on('error', () => undefined)
  try {
    await client.connect()
    return client
  } catch (error) {
    await client.end().catch(() => undefined)
    throw asUnavailable(error)
  }
}
