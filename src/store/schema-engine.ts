/**
 * Prisma's schema engine as WebAssembly from its npm package: no engine binary is downloaded or run. Loaded only when
 * there is something to migrate.
 */
import { readdir, readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { PrismaPg } from '@prisma/adapter-pg'
import { bindMigrationAwareSqlAdapterFactory } from '@prisma/driver-adapter-utils'
import type { MigrationList, SchemaEngine, SchemaFilter } from '@prisma/schema-engine-wasm'
import pg from 'pg'
import { longWork, watchedClients } from './watched-clients.ts'

/**
 * The adapter splits scripts at each semicolon, even inside comments and function bodies, and commits piece by piece.
 * Sent in one piece, without parameters, a script is one simple query: PostgreSQL parses it and runs it as one
 * transaction.
 */
class WholeScripts extends PrismaPg {
  override async connect() {
    const adapter = await super.connect()
    adapter.executeScript = async (sql) => {
      await adapter.executeRaw({ sql, args: [], argTypes: [] })
    }
    return adapter
  }
}

export const noFilter: SchemaFilter = { externalTables: [], externalEnums: [] }

export interface OpenEngine {
  readonly engine: SchemaEngine
  /** Frees the engine and ends its connections: one that stays would keep the database from being cloned or dropped. */
  close(): Promise<void>
}

/** Where the engine stores a panic message, which would otherwise be lost. */
const panics = { set_message: (message: string) => process.emitWarning(`schema engine: ${message}`) }

type Bindings = typeof import('@prisma/schema-engine-wasm/schema_engine_bg')

let loaded: Promise<Bindings> | undefined

/** Once per process: the bindings keep views of the first instance's memory, which a second instance would misread. */
async function loadBindings(): Promise<Bindings> {
  Object.assign(globalThis, { PRISMA_WASM_PANIC_REGISTRY: panics })
  const bindings = await import('@prisma/schema-engine-wasm/schema_engine_bg')
  const entry = createRequire(import.meta.url).resolve('@prisma/schema-engine-wasm/schema_engine_bg')
  const bytes = await readFile(join(dirname(entry), 'schema_engine_bg.wasm'))
  const { instance } = await WebAssembly.instantiate(bytes, { './schema_engine_bg.js': importsOf(bindings) })
  bindings.__wbg_set_wasm(instance.exports)
  const start = instance.exports.__wbindgen_start
  if (typeof start === 'function') start()
  return bindings
}

/**
 * What the engine calls of ours. It guards the lock that it takes with a timer of ten seconds that it never clears, and
 * a command that had migrated would stay that long after its work: its timers keep no process alive.
 */
function importsOf(bindings: Bindings): WebAssembly.ModuleImports {
  const imports: WebAssembly.ModuleImports = {}
  for (const [name, value] of Object.entries(bindings)) {
    if (typeof value !== 'function') continue
    imports[name] = name.startsWith('__wbg_setTimeout_')
      ? (action: () => void, delayMs: number) => setTimeout(action, delayMs >>> 0).unref()
      : (value as WebAssembly.ImportValue)
  }
  return imports
}

/** Opens an engine on a database. */
export async function openSchemaEngine(url: string): Promise<OpenEngine> {
  loaded ??= loadBindings()
  const bindings = await loaded
  const Client = watchedClients(url, longWork)
  const pool = new pg.Pool({ Client, connectionString: url, max: 2, application_name: 'hub-migrate' })
  const adapter = bindMigrationAwareSqlAdapterFactory(new WholeScripts(pool, { disposeExternalPool: false }))
  const engine = await bindings.SchemaEngine.new({ datamodels: undefined }, () => {}, adapter)
  return {
    engine,
    async close() {
      engine.free()
      await pool.end()
    },
  }
}

/** The migrations in `dir`, in the order of their names, as the engine takes them. */
export async function readMigrations(dir: string): Promise<MigrationList> {
  const entries = await readdir(dir, { withFileTypes: true })
  const names = entries.filter((entry) => entry.isDirectory()).map((entry) => entry.name)
  const migrationDirectories = await Promise.all(
    names.sort().map(async (name) => ({
      path: name,
      migrationFile: {
        path: 'migration.sql',
        content: { tag: 'ok' as const, value: await readFile(join(dir, name, 'migration.sql'), 'utf8') },
      },
    })),
  )
  const lockfile = { path: 'migration_lock.toml', content: await readFile(join(dir, 'migration_lock.toml'), 'utf8') }
  return { baseDir: dir, lockfile, shadowDbInitScript: '', migrationDirectories }
}

/** The Prisma schema as one text: its files in the order of their names. */
export async function readDatamodels(dir: string): Promise<string> {
  const names = (await readdir(dir)).filter((name) => name.endsWith('.prisma')).sort()
  const texts = await Promise.all(names.map((name) => readFile(join(dir, name), 'utf8')))
  return texts.join('\n')
}
