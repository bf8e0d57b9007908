/**
 * The 422 refusals of publishing that are known without the store: names of files, and faults of a card that do not
 * depend on its model. Pure.
 */

import { CARD_RULES, cardChecks } from '@hub/robot-card/card-checks'
import { readCard } from '@hub/robot-card/read-card'
import { newPathFault } from '@hub/text/file-path'
import type { CheckArtifact, CheckKind, Document } from '../check-parts.ts'
import { cardToPublish, filesToPublish, STILLS } from './published-card.ts'

/** The parts of a check that publishing uses. */
export interface Publishable {
  readonly kind: CheckKind
  readonly card: Document | null
  readonly artifacts: readonly Pick<CheckArtifact, 'name'>[]
}

/**
 * The faults of a check's card that do not depend on its model, one sentence each. `rules` is the version of the rules
 * that found them.
 */
export interface CardFaults {
  readonly rules: number
  readonly sentences: readonly string[]
}

/**
 * Null without a card. Computed once, when the check succeeds, because reading and checking a card of 390 KB takes 44
 * ms of CPU. After that, neither card nor artifacts change.
 */
export function cardFaults({ kind, card, artifacts }: Publishable): CardFaults | null {
  if (kind !== 'robot' || card === null) return null
  const read = readCard(cardToPublish(card, artifacts))
  const checks = cardChecks(read, { reading: null, stills: new Set(Object.values(STILLS)) })
  return {
    rules: CARD_RULES,
    sentences: checks.filter(({ status }) => status === 'fail').map(({ message }) => message),
  }
}

/**
 * One sentence for each refusal; empty if only the model can still invalidate the card. Faults that other rules found
 * are recomputed.
 */
export function knownRefusals(check: Publishable & { readonly cardFaults: CardFaults | null }): string[] {
  const kept = check.cardFaults?.rules === CARD_RULES ? check.cardFaults : cardFaults(check)
  return [...pathFaults(check).map(({ detail }) => detail), ...(kept?.sentences ?? [])]
}

/** Artifacts whose name is not a valid path for a new file. */
export function pathFaults({
  kind,
  artifacts,
}: Pick<Publishable, 'kind' | 'artifacts'>): { readonly name: string; readonly detail: string }[] {
  return filesToPublish(kind, artifacts).flatMap(({ name }) => {
    const fault = newPathFault(name)
    return fault === null ? [] : [{ name, detail: `The artifact ${JSON.stringify(name)} ${fault}.` }]
  })
}
