/** What `hub doctor` finds, for the operator's page. Contract, "The operator". */
import { assertOperator } from '../accounts/operator-only.ts'
import type { RequestContext } from '../operation/context.ts'

/** What was seen of one part of the hub. */
export interface Finding {
  readonly name: string
  readonly status: 'ok' | 'warn' | 'fail'
  readonly detail: string
  /** What to do; null if there is nothing to do. */
  readonly fix: string | null
}

declare module '../operation/context.ts' {
  interface Deps {
    /** Checks this hub as the command does, which is later than all subjects: the composition root gives it. */
    findings(): Promise<readonly Finding[]>
  }
}

/** hubFindings: the checks of `hub doctor`, made in this process. Errors: 401, 403 for all but the operator. */
export async function readFindings({ viewer, deps }: RequestContext): Promise<readonly Finding[]> {
  assertOperator(viewer, deps.config)
  return deps.findings()
}
