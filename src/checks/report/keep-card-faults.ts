/** Stores the faults of a card that do not depend on its model, once, when the check succeeds. Reads then need not compute them. */
import type { Tx } from '../../store/db.ts'
import { param, statement } from '../../store/statement.ts'
import { cardFaults } from '../publish/known-refusals.ts'
import { readPublishable } from '../publish/publishable.ts'

const keep = statement({
  name: 'robot-check-keep-card-faults',
  params: { checkId: param.text(), faults: param.json() },
  text: 'update robot_checks set card_faults = :faults::json where id = :checkId',
})

/** Runs in the transaction that ends the check, after its last documents and artifacts were written. Any report may have sent these. */
export async function keepCardFaults(tx: Tx, checkId: string): Promise<void> {
  const row = await readPublishable(tx, checkId)
  const faults = cardFaults({ ...row, card: row.card?.value ?? null })
  if (faults) await tx.query(keep, { checkId, faults: JSON.stringify(faults) })
}
