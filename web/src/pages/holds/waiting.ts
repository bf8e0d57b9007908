/** How many requests wait for the decision of a person. Pure. */
import type { BellQuery } from './bell.graphql.ts'

type Holds = NonNullable<BellQuery['spendHolds']>

export interface Waiting {
  readonly count: number
  /** As the badge has it: empty for none, `10+` where there are more than were read. */
  readonly badge: string
  /** As it is read out. */
  readonly label: string
}

/**
 * Only those billed to an account of the person: the keys of a person may ask for what another account pays, and there
 * its people decide.
 */
export function waitingOf({ nodes, pageInfo }: Holds, accountIds: readonly string[]): Waiting {
  const count = nodes.filter(({ account }) => accountIds.includes(account.id)).length
  const number = count > 0 && pageInfo.hasNextPage ? `${count}+` : String(count)
  if (count === 0) return { count, badge: '', label: 'Approvals: none to decide' }
  return { count, badge: number, label: `Approvals: ${number} to decide` }
}
