/** What the checks of a card say of a card and a reading of its model, without a hub. */
import type { ModelReading } from '@hub/mjcf/reading'
import { cardChecks } from '@hub/robot-card/card-checks'
import { readCard } from '@hub/robot-card/read-card'
import { armReading, goodCard, goodInterface } from '../../packages/robot-card/test/support/card.ts'

/** All checks of a card, for a reading of its model and the stills that are there. */
export const judge = (document: unknown, reading: ModelReading | null = armReading(), stills: string[] = []) =>
  cardChecks(readCard(document), { reading, stills: new Set(stills) })

/** The one check with this code; throws where there are none or several. */
export const one = (code: string, document: unknown, reading?: ModelReading | null) => {
  const found = judge(document, reading).filter((check) => check.code === code)
  const [only] = found
  if (!only || found.length > 1) throw new Error(`${found.length} checks of ${code}`)
  return only
}

/** A good card with a changed interface. */
export const face = (change: Record<string, unknown>) => goodCard({ interface: goodInterface(change) })
/** Status, names and place of the one check with this code. */
export const told = (code: string, document: unknown, reading?: ModelReading | null) => {
  const { status, names, loc } = one(code, document, reading)
  return [status, names, loc?.join('.') ?? null]
}
