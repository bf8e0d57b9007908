/** How a background job is declared. */
import type { z } from 'zod'
import type { Deps } from '../operation/context.ts'
import type { JobDefinition } from '../store/queue.ts'
import type { QueuedJobName, QueuedJobs } from '../store/queued-jobs.ts'

/** Types the input for the handler by the job's name, and erases the type for the list. */
export const define = <Name extends QueuedJobName>(
  job: JobDefinition<Deps, z.ZodType<QueuedJobs[Name]>> & { readonly name: Name },
): JobDefinition<Deps> => job
