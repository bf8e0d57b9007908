/** Entries of the audit log that are older than the hub keeps them. */
import { firstIdAt, newId } from '@hub/formats/ids'
import { expect, it } from 'vitest'
import { dropOldAuditEntries } from '../../src/jobs/audit-retention.ts'
import { contractHub } from '../support/hub.ts'

const hub = contractHub({ AUDIT_RETENTION_S: '0' })
const { signal } = new AbortController()
const DAY_MS = 86_400_000

const keep = (days: number) => {
  const { deps } = hub.running
  return dropOldAuditEntries({ ...deps, config: { ...deps.config, auditKeptSeconds: days * 86_400 } }, signal)
}
const left = async (target: string) =>
  (await hub.sql<{ action: string }>('select action from audit_log where target_id = $1 order by id', [target])).map(
    ({ action }) => action,
  )

it('go by the time of their ids, in batches, and younger ones stay', async () => {
  const target = newId('repo')
  const oldest = firstIdAt('aud', Date.now() - 40 * DAY_MS).slice(0, -5)
  await hub.sql(
    `insert into audit_log (id, at, action, target_id) select $1 || lpad(n::text, 5, '0'), now() - interval '40 days', 'test.old', $2 from generate_series(1, 12000) n`,
    [oldest, target],
  )
  const young = firstIdAt('aud', Date.now() - 39 * DAY_MS + 60_000)
  await hub.sql(`insert into audit_log (id, action, target_id) values ($1, 'test.young', $2)`, [young, target])
  await keep(0)
  expect(await left(target)).toHaveLength(12_001)
  await keep(39)
  expect(await left(target)).toEqual(['test.young'])
})
