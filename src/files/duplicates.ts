/** Duplicates in one request: 422 `validation.duplicate` at the second occurrence. */
import { HubError, type Loc } from '../platform/errors.ts'

/** Rejects duplicates in `names`; `locOf` returns the place of the item at an index. */
export function assertDistinct(names: readonly string[], what: string, locOf: (index: number) => Loc): void {
  const seen = new Set<string>()
  const items = names.flatMap((name, index) => {
    if (!seen.has(name)) {
      seen.add(name)
      return []
    }
    return [
      {
        type: 'validation.duplicate',
        detail: `The ${what} ${JSON.stringify(name)} is listed twice.`,
        loc: locOf(index),
      },
    ]
  })
  const [first] = items
  if (first) throw new HubError('validation.duplicate', first.detail, { items })
}
