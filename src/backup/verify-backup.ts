/** Whether a backup is whole, and on request whether a database can be made of it. */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startEmbeddedPostgres } from '../store/embedded-postgres.ts'
import { migrateForRestore } from '../store/migrate.ts'
import { type CheckedBackup, checkFiles, readManifest } from './check-files.ts'
import type { Steps } from './dump-database.ts'
import { differingTables, loadDatabase } from './load-database.ts'
import { type BackupSource, openSource } from './source.ts'

export interface VerifyBackup {
  readonly from: string
  /** Loads the rows into a database of its own that is then deleted. */
  readonly load: boolean
  readonly steps: Steps
}

/** Changes nothing. Reads every byte of the backup; needs no hub. */
export async function verifyBackup({ from, load, steps }: VerifyBackup): Promise<CheckedBackup> {
  const source = await openSource(from)
  try {
    const checked = await checkFiles(source, steps)
    if (!load || checked.faults.length > 0) return checked
    return { ...checked, faults: await loadElsewhere(source, steps) }
  } finally {
    await source.close()
  }
}

async function loadElsewhere(source: BackupSource, steps: Steps): Promise<string[]> {
  const { manifest, sums } = await readManifest(source)
  const dataDir = await mkdtemp(join(tmpdir(), 'hub-verify-'))
  try {
    const settings = { fsync: 'off', synchronous_commit: 'off', full_page_writes: 'off' }
    const server = await startEmbeddedPostgres({ dataDir, settings })
    try {
      steps.begin('loading the database into a temporary one')
      await loadDatabase(server.url, source, manifest, steps)
      const differing = await differingTables(server.url, sums, manifest)
      await migrateForRestore(server.url, null)
      return differing.map((table) => `${table}: rows that were loaded and read again differ from the backup.`)
    } finally {
      await server.stop()
    }
  } finally {
    await rm(dataDir, { recursive: true, force: true })
  }
}
