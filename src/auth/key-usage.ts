/** `last_used_at` of API keys, collected in memory and written in the background, at most once a minute per key. */
import type { Logger } from 'pino'
import type { Db, Statement } from '../store/db.ts'

const WRITE_EVERY_MS = 60_000
const GATHER_MS = 1000

/** `touch` costs a map lookup; `flush` writes pending uses; `close` flushes a last time. */
export interface KeyUsage {
  touch(keyId: string): void
  flush(): Promise<void>
  close(): Promise<void>
}

const writeUsage: Statement<never> = {
  name: 'key-usage',
  text: `update api_keys k set last_used_at = greatest(k.last_used_at, now()) from (
      select id from api_keys where id = any($1::text[]) order by id for no key update skip locked) used
    where k.id = used.id`,
}

/** Collects uses in one process. A crash loses at most a minute of precision of an informational date. */
export function openKeyUsage(db: Db, log: Logger): KeyUsage {
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
    if (ids.length > 0) await db.query(writeUsage, [ids])
  }
  const flushQuietly = () => flush().catch((error: unknown) => log.warn({ err: error }, 'key usage was not written'))

  return {
    touch(keyId) {
      const now = performance.now()
      const last = writtenAt.get(keyId)
      if (last !== undefined && now - last < WRITE_EVERY_MS) return
      writtenAt.set(keyId, now)
      pending.add(keyId)
      timer ??= setTimeout(flushQuietly, GATHER_MS).unref()
    },
    flush,
    close: flushQuietly,
  }
}
