/** What publishing would refuse with 422 and can be told without the store: names of files, and faults of a card that do not depend on its model. Pure. */
import { CARD_RULES, cardChecks } from '../../cards/card-checks.ts'
import { readCard } from '../../cards/read-card.ts'
import { newPathFault } from '../../platform/file-path.ts'
import type { CheckArtifact, CheckKind, Document } from '../check-parts.ts'
import { cardToPublish, filesToPublish, STILLS } from './published-card.ts'

/** What a check would publish. */
export interface Publishable {
  readonly kind: CheckKind
  readonly card: Document | null
  readonly artifacts: readonly Pick<CheckArtifact, 'name'>[]
}

/** What is wrong with the card of a check whatever its model is: one sentence each, by the rules of this version. */
export interface CardFaults {
  readonly rules: number
  readonly sentences: readonly string[]
}

/** Reading a card of 390 KB and its checks take 44 ms of CPU: done once, when the check succeeds. From then on neither card nor artifacts change. Null without a card. */
export function cardFaults({ kind, card, artifacts }: Publishable): CardFaults | null {
  if (kind !== 'robot' || card === null) return null
  const read = readCard(cardToPublish(card, artifacts))
  const checks = cardChecks(read, { reading: null, stills: new Set(Object.values(STILLS)) })
  return {
    rules: CARD_RULES,
    sentences: checks.filter(({ status }) => status === 'fail').map(({ message }) => message),
  }
}

/** One sentence each; empty where only the model can still refuse the card. Faults that were kept by other rules are found again. */
export function knownRefusals(check: Publishable & { readonly cardFaults: CardFaults | null }): string[] {
  const kept = check.cardFaults?.rules === CARD_RULES ? check.cardFaults : cardFaults(check)
  return [...pathFaults(check).map(({ detail }) => detail), ...(kept?.sentences ?? [])]
}

/** Artifacts whose name is no path that a file may take by the rules of today. */
export function pathFaults({ kind, artifacts }: Publishable): { readonly name: string; readonly detail: string }[] {
  return filesToPublish(kind, artifacts).flatMap(({ name }) => {
    const fault = newPathFault(name)
    return fault === null ? [] : [{ name, detail: `The artifact ${JSON.stringify(name)} ${fault}.` }]
  })
}
