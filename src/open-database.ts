/** The database and the secret of a deployment: embedded and made at the first start, or the ones that the settings name. */
import { randomBytes, randomUUID } from 'node:crypto'
import { link, mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Logger } from 'pino'
import { type Config, ConfigError } from './config.ts'
import { type Db, openDb } from './store/db.ts'
import { startEmbeddedPostgres } from './store/embedded-postgres.ts'
import { migrate } from './store/migrate.ts'

export interface OpenDatabase {
  readonly url: string
  readonly db: Db
  /** HUB_SECRET, or the one in the data dir. */
  readonly secret: string
  /** Closes the pool, and leaves the embedded server, which stops with the last one out. */
  close(): Promise<void>
}

/** Starts or reaches the database, brings it to the newest migration, and opens the pool. What was opened is closed again when a later step fails. */
export async function openDatabase(config: Config, log: Logger): Promise<OpenDatabase> {
  const embedded = config.databaseUrl === null ? await startEmbeddedPostgres({ dataDir: config.dataDir, log }) : null
  try {
    const url = config.databaseUrl ?? embedded?.url ?? ''
    const applied = await migrate(url)
    if (applied.length > 0) log.info({ applied }, 'database migrated')
    const secret = config.secret ?? (await keptSecret(config.dataDir))
    const db = openDb({ url, poolMax: config.databasePoolMax })
    return {
      url,
      db,
      secret,
      async close() {
        await db.close()
        await embedded?.stop()
      },
    }
  } catch (error) {
    await embedded?.stop()
    throw error
  }
}

/** The secret of the embedded default: 32 random bytes in `secret`, mode 0600; of two that start at once, one makes it and both read it. */
async function keptSecret(dataDir: string): Promise<string> {
  const path = join(dataDir, 'secret')
  await mkdir(dataDir, { recursive: true })
  const draft = `${path}.${randomUUID()}`
  try {
    await readFile(path)
  } catch {
    await writeFile(draft, `${randomBytes(32).toString('base64url')}\n`, { mode: 0o600, flush: true })
    // A link appears whole or not at all, and never replaces one that is there.
    await link(draft, path).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'EEXIST') throw error
    })
    await rm(draft, { force: true })
  }
  const secret = (await readFile(path, 'utf8')).trim()
  if (secret.length < 32)
    throw new ConfigError([`HUB_DATA_DIR: ${path} holds no secret; restore it, or set HUB_SECRET`])
  return secret
}
