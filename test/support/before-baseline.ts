/** Databases as the migrations before the baseline left them. */
import { randomUUID } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import type pg from 'pg'
import { BASELINE } from '../../src/store/baseline.ts'
import { MIGRATIONS_DIR, migrateForRestore } from '../../src/store/migrate.ts'

/** Lists the migrations that the baseline stands for in place of it. What they made is what the baseline makes. */
export async function listAsBefore(client: Pick<pg.ClientBase, 'query'>): Promise<void> {
  await client.query('delete from _prisma_migrations where migration_name = $1', [BASELINE])
  const lines = (await readFile(`${MIGRATIONS_DIR}${BASELINE}/replaces.sum`, 'utf8')).trimEnd().split('\n')
  for (const line of lines) {
    const [sha256, name] = line.split('  ')
    await client.query(
      `insert into _prisma_migrations (id, checksum, migration_name, started_at, finished_at, applied_steps_count) values ($1, $2, $3, now(), now(), 1)`,
      [randomUUID(), sha256, name],
    )
  }
}

/** Brings an empty database to the baseline and no further. */
export const migrateToBaseline = (url: string) => migrateForRestore(url, BASELINE)
