/** The sweep of spend holds: stores the status of holds that have expired. Reads show them as expired before that. */
import { noViewer } from '../../operation/audit.ts'
import type { Deps } from '../../operation/context.ts'
import { lockExpiredHolds, moveHold, nextOver } from './move-hold.ts'

/** Expires all overdue holds, one batch at a time, and returns their number. */
export async function expireHolds(deps: Pick<Deps, 'db' | 'events'>): Promise<number> {
  for (let total = 0; ; ) {
    const [due] = await deps.db.query(nextOver)
    if (!due) return total
    const count = await expireSome(deps)
    total += count
    if (count === 0) return total
  }
}

function expireSome(deps: Pick<Deps, 'db' | 'events'>): Promise<number> {
  return deps.db.withTx(async (tx) => {
    const holds = await lockExpiredHolds(tx)
    const decision = { trigger: 'expire', personId: null, reason: null, resultId: null } as const
    for (const hold of holds) await moveHold({ deps, tx, ctx: noViewer, hold, decision })
    return holds.length
  })
}
