/** What publishing would refuse with 422 and can be told without the store: names of files, and faults of a card that do not depend on its model. Pure. */
import { cardChecks } from '../../cards/card-checks.ts'
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

/** One sentence each; empty where only the model can still refuse the card. */
export function knownRefusals(check: Publishable): string[] {
  const paths = pathFaults(check).map(({ detail }) => detail)
  if (check.kind !== 'robot' || check.card === null) return paths
  const card = readCard(cardToPublish(check.card, check.artifacts))
  const checks = cardChecks(card, { reading: null, stills: new Set(Object.values(STILLS)) })
  return [...paths, ...checks.filter(({ status }) => status === 'fail').map(({ message }) => message)]
}

/** Artifacts whose name is no path that a file may take by the rules of today. */
export function pathFaults({ kind, artifacts }: Publishable): { readonly name: string; readonly detail: string }[] {
  return filesToPublish(kind, artifacts).flatMap(({ name }) => {
    const fault = newPathFault(name)
    return fault === null ? [] : [{ name, detail: `The artifact ${JSON.stringify(name)} ${fault}.` }]
  })
}
