/** Download URLs for the artifacts of a check. */

import { baseName } from '@hub/text/file-path'
import type { RequestContext } from '../../operation/context.ts'
import { requireObjects } from '../../store/objects/required.ts'
import type { CheckArtifact } from '../check-shape.ts'
import { CHECK_URL_TTL_SECONDS } from '../limits.ts'

/** A URL that accepts GET for an hour. No network call. */
export function signArtifact(
  ctx: Pick<RequestContext, 'deps'>,
  { name, storageKey, contentType }: Pick<CheckArtifact, 'name' | 'storageKey' | 'contentType'>,
): Promise<string> {
  return requireObjects(ctx.deps).signGet(storageKey, {
    ttlSeconds: CHECK_URL_TTL_SECONDS,
    downloadName: baseName(name),
    contentType: contentType ?? undefined,
  })
}
