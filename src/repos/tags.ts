/** Tags of a repo. */

import { MAX_TAGS } from '@hub/formats/text-rules'
import { invalid } from '../platform/errors.ts'

/** Tags without duplicates, in the order given; 422 for more than 20 distinct ones (contract, "Text"). */
export function distinctTags(tags: readonly string[]): string[] {
  const distinct = [...new Set(tags)]
  if (distinct.length > MAX_TAGS) {
    throw invalid('validation.value', `A repo can have at most ${MAX_TAGS} tags; ${distinct.length} were given.`, [
      'tags',
    ])
  }
  return distinct
}
