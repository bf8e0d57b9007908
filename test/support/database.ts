/** A database of its own for a test file: a clone of the migrated template, dropped when the file is done. */
import { randomBytes } from 'node:crypto'
import pg from 'pg'
import { afterAll, beforeAll, inject } from 'vitest'
import { type Db, openDb } from '../../src/store/db.ts'
import { databaseUrl } from './global-setup.ts'

export interface TestDb {
  readonly db: Db
  readonly url: string
  /** Texts of the statements since `record()`. */
  record(): string[]
}

/** Of this worker, for making and dropping databases: for both sides a connection costs as much as several statements. It ends with the worker. */
let administrator: Promise<pg.Client> | undefined

async function administer(statement: string): Promise<void> {
  administrator ??= connected()
  await (await administrator).query(statement)
}

async function connected(): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: inject('databaseServerUrl') })
  await client.connect()
  return client
}

/** A new database with the migrated template's content. */
export async function cloneTemplate(
  name = newDatabaseName(),
): Promise<{ readonly url: string; drop(): Promise<void> }> {
  await administer(`create database ${name} template ${inject('templateDatabase')} strategy file_copy`)
  return {
    url: databaseUrl(inject('databaseServerUrl'), name),
    drop: () => administer(`drop database if exists ${name} with (force)`),
  }
}

const newDatabaseName = () => `hub_test_${randomBytes(6).toString('hex')}`

/** Call at the top of a test file; the members are there from the first test on. */
export function testDb(options: { poolMax?: number } = {}): TestDb {
  const name = newDatabaseName()
  let db: Db | undefined
  let drop: (() => Promise<void>) | undefined
  let statements: string[] = []
  const url = databaseUrl(inject('databaseServerUrl'), name)
  beforeAll(async () => {
    ;({ drop } = await cloneTemplate(name))
    db = openDb({
      url,
      poolMax: options.poolMax ?? 10,
      statementTimeoutMs: 240_000,
      onStatement: (text) => statements.push(text),
    })
  })
  afterAll(async () => {
    await db?.close()
    db = undefined
    await drop?.()
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
