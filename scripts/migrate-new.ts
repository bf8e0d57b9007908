/** `npm run migrate:new <name>`: writes a migration from what the Prisma schema says beyond the migrations so far. Read and finish it by hand. */
import { mkdir, writeFile } from 'node:fs/promises'
import { loadSchemaEngine, noFilter, readDatamodels, readMigrations } from '../src/store/schema-engine.ts'

const [name = ''] = process.argv.slice(2)
if (!/^[a-z0-9_]+$/.test(name)) {
  process.stderr.write(
    'usage: npm run migrate:new <lower_case_name>  (DATABASE_URL names a database for the shadow schema)\n',
  )
  process.exit(2)
}
const datamodels = await readDatamodels('prisma/schema')
const engine = await loadSchemaEngine(process.env.DATABASE_URL ?? 'postgresql://localhost/hub', datamodels)
const migrations = await readMigrations(`${process.cwd()}/prisma/migrations`)
const { stdout } = await engine.diff({
  from: migrations.migrationDirectories.length > 0 ? { tag: 'migrations', ...migrations } : { tag: 'empty' },
  to: { tag: 'schemaDatamodel', files: datamodels.map(([path, content]) => ({ path, content })) },
  script: true,
  exitCode: null,
  filters: noFilter,
})
const stamp = new Date().toISOString().replace(/\D/g, '').slice(0, 14)
const dir = `prisma/migrations/${stamp}_${name}`
await mkdir(dir, { recursive: true })
await writeFile(`${dir}/migration.sql`, stdout ?? '')
process.stdout.write(`${dir}/migration.sql\n`)
process.exit(0)
