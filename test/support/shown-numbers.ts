/** The numbers of an error, as `/v1` shows them: in its headers, and in the Problem, which GraphQL has too. */
import { HubError, toProblem } from '../../src/platform/errors.ts'
import { type LimitMembers, limitHeaders } from '../../src/platform/limit-facts.ts'

const names = ['unit', 'limit', 'used', 'left', 'retry_after_s', 'resets_at'] as const

/** Those members of a Problem that are numbers of a limit. */
export const numbersIn = (problem: LimitMembers): LimitMembers =>
  Object.fromEntries(names.flatMap((name) => (problem[name] === undefined ? [] : [[name, problem[name]]])))

export function shownNumbers(error: unknown): {
  readonly headers: Readonly<Record<string, string>>
  readonly members: LimitMembers
} {
  if (!(error instanceof HubError)) throw new Error('This is no error of the hub.', { cause: error })
  const problem = toProblem(error, 'req_1')
  return { headers: limitHeaders(problem), members: numbersIn(problem) }
}
