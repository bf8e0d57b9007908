/** Places of errors about the request that a hold records. Contract, "Spend holds". */

import { isJsonObject } from '@hub/formats/exact-json'
import { HubError, type Loc } from '../platform/errors.ts'
import { toSnake } from '../platform/member-name.ts'

/**
 * The error of a create, with its places in the recorded request: that has the names of `/v1`, and a verb names members
 * of its input. Other errors are returned unchanged.
 */
export function placedInRecord(record: unknown, error: unknown): unknown {
  if (!(error instanceof HubError) || error.items.every(({ loc }) => !loc)) return error
  const items = error.items.map((item) => (item.loc ? { ...item, loc: placeIn(record, item.loc) } : item))
  const [before, now] = [error.items[0]?.loc?.join('.'), items[0]?.loc?.join('.')]
  const quotesPlace = before !== undefined && error.message.startsWith(`${before}: `)
  const detail = quotesPlace ? `${now}${error.message.slice(before.length)}` : error.message
  return error.reworded(detail, items)
}

/** Names that the record has are its own or the client's, as in `hyperparams`. */
function placeIn(record: unknown, [head, ...tail]: Loc): Loc {
  if (head === undefined) return []
  const within =
    isJsonObject(record) || Array.isArray(record) ? (record as Readonly<Record<string | number, unknown>>) : {}
  const name = typeof head === 'number' || Object.hasOwn(within, head) ? head : toSnake(head)
  return [name, ...placeIn(within[name], tail)]
}
