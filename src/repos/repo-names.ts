/** What a repo is called, from what a request says of it. */
import { slugFault, slugOfName } from '@hub/formats/text-rules'
import { invalid } from '../platform/errors.ts'

export interface RepoNames {
  readonly slug: string
  /** The name as another client gives it; null where the slug says as much. */
  readonly hfName: string | null
}

/**
 * The slug follows from the name, where one is given. Null if neither is. 422 for a slug that is not that of the name.
 */
export function namesOf({ slug, hfName }: { slug?: string | null; hfName?: string | null }): RepoNames | null {
  if (hfName == null) return slug == null ? null : { slug, hfName: null }
  const fault = slug == null ? null : slugFault(slug, hfName)
  if (fault !== null) throw invalid('validation.value', `The slug ${fault}.`, ['slug'])
  const follows = slugOfName(hfName)
  return { slug: follows, hfName: hfName === follows ? null : hfName }
}
