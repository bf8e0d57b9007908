/** The source of a subscription to one job: its current state, then its state after each change. */

import { isId } from '@hub/formats/ids'
import { assertLevel } from '../auth/policy.ts'
import { watchChanges } from '../auth/watch-changes.ts'
import type { RequestContext, Viewer } from '../operation/context.ts'
import { notFound } from '../platform/errors.ts'
import type { Querier } from '../store/db.ts'
import type { JobKind } from './job-kind.ts'
import { hasEnded } from './job-state.ts'

export interface WatchedJob<T> {
  readonly job: JobKind
  /** Jobs by id in the requested order, null for one that the viewer cannot see. */
  readonly byId: (querier: Querier, viewer: Viewer, ids: readonly string[]) => Promise<(T | null)[]>
  /** Text for change detection: equal texts mean no change. */
  readonly textOf: (job: T) => string
}

/**
 * Yields the job at once and after every change, until it ends or the caller no longer sees it. Errors before the first
 * event: 401, 404.
 */
export async function watchJob<T extends { readonly id: string; readonly status: string }>(
  ctx: RequestContext,
  { job, byId, textOf }: WatchedJob<T>,
  jobId: string,
): Promise<AsyncGenerator<T>> {
  assertLevel(ctx.viewer, 'read')
  const read = async (viewer: Viewer): Promise<T | null> => {
    const [found] = await byId(ctx.deps.db, viewer, [jobId])
    return found ?? null
  }
  const first = isId(job.idPrefix, jobId) ? await read(ctx.viewer) : null
  if (!first) throw notFound(`The ${job.noun} ${jobId.slice(0, 64)}`)
  return watchChanges(ctx, first, {
    name: job.name,
    read,
    textOf,
    isOver: ({ status }) => hasEnded(status),
  })
}
