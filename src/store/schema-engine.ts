/** Prisma's schema engine as WebAssembly from its npm package: no engine binary is downloaded or run. Loaded only when there is something to migrate. */
import { readdir, readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { dirname, join, relative } from 'node:path'
import { PrismaPg } from '@prisma/adapter-pg'
import { bindMigrationAwareSqlAdapterFactory } from '@prisma/driver-adapter-utils'
import type { MigrationList, SchemaEngine, SchemaFilter } from '@prisma/schema-engine-wasm'

/**
 * The adapter cuts scripts at each semicolon, also inside comments and function bodies, and commits piece by piece. Sent whole, without parameters,
 * a script is one simple query: PostgreSQL parses it and runs it as one transaction.
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

/** An engine that works on the database at `url`; `datamodels` are needed for diffs alone. */
export async function loadSchemaEngine(url: string, datamodels?: [string, string][]): Promise<SchemaEngine> {
  const bindings = await import('@prisma/schema-engine-wasm/schema_engine_bg')
  const entry = createRequire(import.meta.url).resolve('@prisma/schema-engine-wasm/schema_engine_bg')
  const bytes = await readFile(join(dirname(entry), 'schema_engine_bg.wasm'))
  const { instance } = await WebAssembly.instantiate(bytes, { './schema_engine_bg.js': bindings as never })
  bindings.__wbg_set_wasm(instance.exports)
  const start = instance.exports.__wbindgen_start
  if (typeof start === 'function') start()
  const adapter = bindMigrationAwareSqlAdapterFactory(new WholeScripts({ connectionString: url }))
  return bindings.SchemaEngine.new({ datamodels }, () => {}, adapter)
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

/** The files of the Prisma schema, as `[path, content]`. */
export async function readDatamodels(dir: string): Promise<[string, string][]> {
  const names = (await readdir(dir)).filter((name) => name.endsWith('.prisma')).sort()
  return Promise.all(
    names.map(
      async (name): Promise<[string, string]> => [
        relative('.', join(dir, name)),
        await readFile(join(dir, name), 'utf8'),
      ],
    ),
  )
}
