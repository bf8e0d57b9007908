/** What is known of a card without its model is found once, when the check succeeds, so that no read has to find it again. */
import type { Tx } from '../../store/db.ts'
import { param, statement } from '../../store/statement.ts'
import { cardFaults } from '../publish/known-refusals.ts'
import { readPublishable } from '../publish/publishable.ts'

const keep = statement({
  name: 'robot-check-keep-card-faults',
  params: { checkId: param<string>(), faults: param<string>() },
  text: 'update robot_checks set card_faults = :faults::json where id = :checkId',
})

/** In the transaction that ends the check, after its last documents and artifacts were written: any earlier report may have brought them. */
export async function keepCardFaults(tx: Tx, checkId: string): Promise<void> {
  const faults = cardFaults(await readPublishable(tx, checkId))
  if (faults) await tx.query(keep, { checkId, faults: JSON.stringify(faults) })
}
