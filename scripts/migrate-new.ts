/** `npm run migrate:new <name>`: writes the next migration from what separates the newest one from prisma/schema. To be finished by hand and reviewed. */
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startEmbeddedPostgres } from '../src/store/embedded-postgres.ts'
import { MIGRATIONS_DIR, migrate } from '../src/store/migrate.ts'
import { loadSchemaEngine, noFilter, readMigrations } from '../src/store/schema-engine.ts'

/** prisma/schema as the engine takes it. */
export async function readSchema(dir = join(import.meta.dirname, '..', 'prisma', 'schema')) {
  const names = (await readdir(dir)).filter((name) => name.endsWith('.prisma')).sort()
  return { files: await Promise.all(names.map(async (name) => ({ path: join(dir, name), content: await readFile(join(dir, name), 'utf8') }))) }
}

async function writeMigration(name: string): Promise<string> {
  const dataDir = await mkdtemp(join(tmpdir(), 'hub-migrate-'))
  const server = await startEmbeddedPostgres({ dataDir, settings: { fsync: 'off' } })
  try {
    await migrate(server.url)
    const engine = await loadSchemaEngine(server.url)
    const list = await readMigrations(MIGRATIONS_DIR)
    try {
      const draft = await engine.createMigration({
        draft: true,
        migrationName: name,
        migrationsList: list,
        schema: await readSchema(),
        filters: noFilter,
      })
      const dir = join(list.baseDir, draft.generatedMigrationName)
      await mkdir(dir, { recursive: true })
      await writeFile(join(dir, 'migration.sql'), draft.migrationScript ?? '')
      return join(dir, 'migration.sql')
    } finally {
      engine.free()
    }
  } finally {
    await server.stop()
    await rm(dataDir, { recursive: true, force: true })
  }
}

if (import.meta.main) {
  const name = process.argv[2]
  if (!name || !/^[a-z0-9_]+$/.test(name)) {
    process.stderr.write('usage: npm run migrate:new <name_in_lower_case>\n')
    process.exit(2)
  }
  process.stdout.write(`${await writeMigration(name)}\n`)
}
