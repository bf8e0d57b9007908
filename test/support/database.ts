/** A database of its own for a test file: a clone of the migrated template, dropped when the file is done. */
import { randomBytes } from 'node:crypto'
import { afterAll, beforeAll, inject } from 'vitest'
import { type Db, openDb } from '../../src/store/db.ts'
import { databaseUrl, onServer } from './global-setup.ts'

export interface TestDb {
  readonly db: Db
  readonly url: string
  /** Texts of the statements since `record()`. */
  record(): string[]
}

/** A new database with the migrated template's content. */
export async function cloneTemplate(): Promise<{ readonly url: string; drop(): Promise<void> }> {
  const name = newDatabaseName()
  const server = inject('databaseServerUrl')
  await onServer(server, `create database ${name} template ${inject('templateDatabase')} strategy file_copy`)
  return {
    url: databaseUrl(server, name),
    drop: () => onServer(server, `drop database if exists ${name} with (force)`),
  }
}

const newDatabaseName = () => `hub_test_${randomBytes(6).toString('hex')}`

/** Call at the top of a test file; the members are there from the first test on. */
export function testDb(options: { poolMax?: number } = {}): TestDb {
  const name = newDatabaseName()
  let db: Db | undefined
  let statements: string[] = []
  const server = inject('databaseServerUrl')
  const url = databaseUrl(server, name)
  beforeAll(async () => {
    await onServer(server, `create database ${name} template ${inject('templateDatabase')} strategy file_copy`)
    db = openDb({ url, poolMax: options.poolMax ?? 10, onStatement: (text) => statements.push(text) })
  })
  afterAll(async () => {
    await db?.close()
    db = undefined
    await onServer(server, `drop database if exists ${name} with (force)`)
  })
  return {
    url,
    get db() {
      if (!db) throw new Error('The database is there from the first test on.')
      return db
    },
    record() {
      statements = []
      return statements
    },
  }
}
