/**
 * `last_used_at` of API keys and sessions, collected in memory and written in the background, at most once a minute for
 * each.
 */

import { isId } from '@hub/formats/ids'
import type { Logger } from 'pino'
import type { Db } from '../store/db.ts'
import { param, statement } from '../store/statement.ts'

const WRITE_EVERY_MS = 60_000
const GATHER_MS = 1000

/** `touch` costs a map lookup; `flush` writes pending uses; `close` flushes a last time. */
export interface CredentialUsage {
  /** The id of a key or a session. */
  touch(credentialId: string): void
  flush(): Promise<void>
  close(): Promise<void>
}

/** A row that another transaction holds is skipped: its use is written with a later one. */
const writing = (table: 'api_keys' | 'sessions') =>
  statement({
    name: `${table}-usage`,
    params: { ids: param.texts() },
    text: `update ${table} c set last_used_at = greatest(c.last_used_at, now()) from (
      select id from ${table} where id = any(:ids::text[]) order by id for no key update skip locked) used
    where c.id = used.id`,
  })
const writeKeys = writing('api_keys')
const writeSessions = writing('sessions')

/** Collects uses in one process. A crash loses at most a minute of precision of an informational date. */
export function openCredentialUsage(db: Db, log: Logger): CredentialUsage {
  const writtenAt = new Map<string, number>()
  const pending = new Set<string>()
  let timer: NodeJS.Timeout | undefined

  const flush = async () => {
    clearTimeout(timer)
    timer = undefined
    const ids = [...pending]
    pending.clear()
    const old = performance.now() - WRITE_EVERY_MS
    for (const [id, at] of writtenAt) if (at < old) writtenAt.delete(id)
    const [sessions, keys] = [ids.filter((id) => isId('sess', id)), ids.filter((id) => !isId('sess', id))]
    if (keys.length > 0) await db.query(writeKeys, { ids: keys })
    if (sessions.length > 0) await db.query(writeSessions, { ids: sessions })
  }
  const flushQuietly = () =>
    flush().catch((error: unknown) => log.warn({ err: error }, 'the use of credentials was not written'))

  return {
    touch(credentialId) {
      const now = performance.now()
      const last = writtenAt.get(credentialId)
      if (last !== undefined && now - last < WRITE_EVERY_MS) return
      writtenAt.set(credentialId, now)
      pending.add(credentialId)
      timer ??= setTimeout(flushQuietly, GATHER_MS).unref()
    },
    flush,
    close: flushQuietly,
  }
}
