/** Which versions of PostgreSQL a hub works with. */
import type pg from 'pg'

/** As `server_version_num` has it: the migrations use what 15 brought. */
const OLDEST_VERSION = 150_000

/** An older server. The message begins with its version. */
export class OldPostgres extends Error {}

/** Throws `OldPostgres`. */
export async function refuseOldPostgres(client: Pick<pg.Client, 'query'>): Promise<void> {
  const { rows } = await client.query<{ version: string }>(`select current_setting('server_version_num') as version`)
  const version = Number(rows[0]?.version)
  if (version >= OLDEST_VERSION) return
  const [found, oldest] = [version, OLDEST_VERSION].map((number) => Math.floor(number / 10_000))
  throw new OldPostgres(`PostgreSQL ${found}, which is too old; use ${oldest} or newer.`)
}
