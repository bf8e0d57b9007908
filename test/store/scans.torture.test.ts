/** No statement reads a table or an index from end to end, but for those that are meant to. */
import pg from 'pg'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { type BuiltStatement, builtStatements } from '../support/built-statements.ts'
import { cloneTemplate } from '../support/database.ts'
import { fillTables } from '../support/filled-tables.ts'
import { wholeReads } from '../support/whole-reads.ts'

/** What may be read whole, and why. */
const meant: Readonly<Record<string, string>> = {
  'accounts-by-storage: accounts': 'for the operator alone; an index on the bytes would cost each upload',
  'recount-accounts: rollout_episodes_blob_id_idx': 'by an operator at a shell, once for a hundred accounts',
  'metrics-sums: accounts': 'once in 30 seconds, however many ask; as above',
  'metrics-sums: storage_spares': 'has a row for each running run, and each that ended within a minute',
  'storage-spares-idle: storage_spares_pkey': 'as above',
  'metrics-sums: spend_reservations': 'holds a row for each priced job that has not ended',
  'metrics-live: queue_pkey': 'has a row for each kind of job',
  'failed-job-take: queue_pkey': 'has a row for each kind of job',
  'signing-keys: signing_keys': 'has a row for each month',
  'signing-key-states: signing_keys': 'has a row for each month',
  'src/auth/signing-keys.ts: signing_keys': 'has a row for each month',
  'deleted-repos: deleted_repos': 'is what is left to delete',
  'src/repos/facets-sql.ts: repo_facet_changes': 'is what is left to fold in, of a minute at most',
  'src/repos/page-end.ts: repos_public_updated': 'has fewer rows here than a page looks at; of more, it ends',
  'src/backup/restore-backup.ts: uploads_pkey': 'while a backup is restored, and nobody is served',
  'src/operator/deployment-verbs.ts: _prisma_migrations': 'has a row for each migration',
  'src/operator/deployment-verbs.ts: accounts_handle_key': 'by an operator at a shell, to list all users',
}

let client: pg.Client
let statements: BuiltStatement[]
let drop: () => Promise<void>
beforeAll(async () => {
  const database = await cloneTemplate()
  drop = () => database.drop()
  client = new pg.Client({ connectionString: database.url })
  await client.connect()
  await fillTables(client, 3000)
  statements = [...new Map((await builtStatements()).map((one) => [one.text, one])).values()]
})
afterAll(async () => {
  await client?.end()
  await drop?.()
})

const subjectOf = ({ name, at }: BuiltStatement) => name || at.replace(/:\d+$/, '')

it('no statement reads the whole of a table that grows', async () => {
  const found = new Map<string, string>()
  for (const one of statements)
    for (const whole of await wholeReads(client, one.text)) found.set(`${subjectOf(one)}: ${whole}`, one.at)
  const faults = [...found].filter(([subject]) => !Object.hasOwn(meant, subject))
  expect(faults.map(([subject, at]) => `${at} ${subject}`)).toEqual([])
  expect(Object.keys(meant).filter((subject) => !found.has(subject))).toEqual([])
})

it('a read without an index is found, one of a list of what is left to do is not', async () => {
  expect(await wholeReads(client, 'delete from uploads where touched_at < $1')).toEqual(['uploads'])
  expect(await wholeReads(client, `select id from runs where lower(robot) = 'a'`)).not.toEqual([])
  expect(await wholeReads(client, `select count(*) from blobs where state = 'doomed'`)).toEqual([])
  expect(await wholeReads(client, 'select id from repos order by id desc limit 1')).toEqual([])
})
