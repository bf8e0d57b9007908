/**
 * The database and the secret of a deployment: embedded and made at the first start, or the ones that the settings
 * name.
 */
import { randomBytes, randomUUID } from 'node:crypto'
import { link, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Logger } from 'pino'
import { type Config, ConfigError } from './platform/config.ts'
import { column, columns } from './store/columns.ts'
import { ensureDataDir } from './store/data-folder.ts'
import { type Db, openDb } from './store/db.ts'
import { type EmbeddedPostgres, startEmbeddedPostgres } from './store/embedded-postgres.ts'
import { migrate } from './store/migrate.ts'
import { statement } from './store/statement.ts'

export interface OpenDatabase {
  readonly url: string
  readonly db: Db
  /** HUB_SECRET, or the one in the data dir. */
  readonly secret: string
  /** Closes the pool, and leaves the embedded server, which stops with the last one out. */
  close(): Promise<void>
}

/**
 * Starts or reaches the database, brings it to the newest migration, and opens the pool. What was opened is closed
 * again when a later step fails. `running` is the embedded server where it was started before.
 */
export async function openDatabase(
  config: Config,
  log: Logger,
  running: EmbeddedPostgres | null = null,
): Promise<OpenDatabase> {
  const { databaseUrl, dataDir } = config
  if (databaseUrl === null) await ensureDataDir(dataDir)
  const embedded = databaseUrl === null ? (running ?? (await startEmbeddedPostgres({ dataDir, log }))) : null
  try {
    const url = databaseUrl ?? embedded?.url ?? ''
    const applied = await migrate(url)
    // Their names would fill a screen at the first start; `_prisma_migrations` has each with its time.
    if (applied.length > 0) log.info({ applied: applied.length, newest: applied.at(-1) }, 'database migrated')
    const db = openDb({ url, poolMax: config.databasePoolMax })
    const secret = config.secret ?? (await keptSecret(config.dataDir, db).catch((error) => closeAfter(db, error)))
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

async function closeAfter(db: Db, error: unknown): Promise<never> {
  await db.close()
  throw error
}

const kidColumn = columns({ kid: column.text('kid') })

const anySealedKey = statement({
  name: '',
  exact: 'server',
  columns: kidColumn,
  text: `select ${kidColumn.sql} from signing_keys limit 1`,
})

/**
 * The secret of the embedded default: 32 random bytes in `secret`, mode 0600; of two that start at once, one makes it
 * and both read it. None is made for a database that has keys already: they are sealed with the one that is missing.
 */
async function keptSecret(dataDir: string, db: Db): Promise<string> {
  const path = join(dataDir, 'secret')
  await ensureDataDir(dataDir)
  if ((await secretIn(path)) === null) {
    const [sealed] = await db.query(anySealedKey)
    // A hub that starts next to this one writes its secret before its keys.
    if (!sealed) await makeSecret(path)
    else if ((await secretIn(path)) === null) {
      const detail =
        'with which the keys in the database were sealed; restore that file from the same backup as the database'
      throw new ConfigError([`HUB_DATA_DIR: ${path} is not there, the secret ${detail}`])
    }
  }
  const secret = await secretIn(path)
  if (!secret || secret.length < 32)
    throw new ConfigError([`HUB_DATA_DIR: ${path} holds no secret; restore it, or set HUB_SECRET`])
  return secret
}

/** What the file holds; null where it is not there. */
async function secretIn(path: string): Promise<string | null> {
  try {
    return (await readFile(path, 'utf8')).trim()
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return null
    throw new ConfigError([`HUB_DATA_DIR: ${path} cannot be read: ${messageOf(error)}`])
  }
}

async function makeSecret(path: string): Promise<void> {
  const draft = `${path}.${randomUUID()}`
  await writeFile(draft, `${randomBytes(32).toString('base64url')}\n`, { mode: 0o600, flush: true })
  // A link appears whole or not at all, and never replaces one that is there.
  await link(draft, path).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EEXIST') throw error
  })
  await rm(draft, { force: true })
}

const messageOf = (error: unknown) => (error instanceof Error ? error.message : String(error))
const codeOf = (error: unknown) => (error instanceof Error && 'code' in error ? error.code : undefined)
