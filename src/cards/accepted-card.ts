/** Decides whether a verdict accepts a card, and makes the error of a rejected card. Pure. */

import type { Check } from '@hub/mjcf/verdict/check'
import type { RobotCardDocument } from '@hub/robot-card/card-schema'
import { type ErrorItem, HubError, type Loc } from '../platform/errors.ts'
import type { Verdict } from './judge-card.ts'

/**
 * The card that a verdict accepts; else 422 with one entry for each failing check. `placeOf` maps a place in the card
 * to one in the request.
 */
export function acceptedCard({ card, checks }: Verdict, placeOf: (loc: Loc) => Loc | undefined): RobotCardDocument {
  if (!card || isRefused({ card, checks })) throw refusal(checks, placeOf)
  return card
}

/** Whether a check of the card failed. */
export const isRefused = ({ card, checks }: Pick<Verdict, 'card' | 'checks'>): boolean =>
  card === null || checks.some(({ status }) => status === 'fail')

/** One entry per failing check, with its code and all details. */
function refusal(checks: readonly Check[], placeOf: (loc: Loc) => Loc | undefined): HubError {
  const failing = checks.filter(({ status }) => status === 'fail')
  const items = failing.map(({ code, message, names, hint, loc, data }): ErrorItem => {
    // Messages of schema faults start with their place, which is separate here.
    const detail = code === 'card.schema' && names[0] ? message.replace(`${names[0]}: `, '') : message
    return { type: code, detail, loc: placeOf(loc ?? []), names, hint, data }
  })
  const more = items.length > 1 ? ` (and ${items.length - 1} more in errors)` : ''
  return new HubError('validation.failed', `The card is invalid: ${failing[0]?.message}${more}`, { items })
}
