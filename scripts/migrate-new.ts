/**
 * `npm run migrate:new <name>`: writes the next migration from the diff between prisma/migrated.prisma, the schema that
 * the newest migration leads to, and prisma/schema, which becomes the former. Collations, checks and partial indexes
 * live in migrations alone: finish the script by hand.
 */
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startEmbeddedPostgres } from '../src/store/embedded-postgres.ts'
import { MIGRATIONS_DIR } from '../src/store/migrate.ts'
import { noFilter, openSchemaEngine, readDatamodels } from '../src/store/schema-engine.ts'

const SCHEMA_DIR = join(import.meta.dirname, '..', 'prisma', 'schema')
const MIGRATED = join(import.meta.dirname, '..', 'prisma', 'migrated.prisma')

/** The engine requires a reachable database, although a schema diff does not query it. */
async function differenceOf(from: string, to: string): Promise<string> {
  const dataDir = await mkdtemp(join(tmpdir(), 'hub-migrate-'))
  const server = await startEmbeddedPostgres({ dataDir, settings: { fsync: 'off' } })
  const { engine, close } = await openSchemaEngine(server.url)
  const schema = (content: string) => ({
    tag: 'schemaDatamodel' as const,
    files: [{ path: 'schema.prisma', content }],
  })
  try {
    const { stdout } = await engine.diff({
      from: schema(from),
      to: schema(to),
      script: true,
      exitCode: null,
      filters: noFilter,
    })
    return stdout ?? ''
  } finally {
    await close()
    await server.stop()
    await rm(dataDir, { recursive: true, force: true })
  }
}

const name = process.argv[2]
if (!name || !/^[a-z0-9_]+$/.test(name)) {
  process.stderr.write('usage: npm run migrate:new <name_in_lower_case>\n')
  process.exit(2)
}
const schema = await readDatamodels(SCHEMA_DIR)
const script = await differenceOf(await readFile(MIGRATED, 'utf8'), schema)
const dir = join(MIGRATIONS_DIR, `${new Date().toISOString().replace(/\D/g, '').slice(0, 14)}_${name}`)
await mkdir(dir, { recursive: true })
await writeFile(join(dir, 'migration.sql'), script)
await writeFile(MIGRATED, schema)
process.stdout.write(`${join(dir, 'migration.sql')}\n`)
