/** What is stored of the answer to a request with an Idempotency-Key. */
import type { Problem } from '../platform/errors.ts'
import { number, object, objectOf, orNull, text } from '../store/read-json.ts'

/**
 * The content of a finished row: the verb's result, an error, or `again` for read-only operations, which run again. `of`: the id of what the request's names meant, if
 * they mean one thing.
 */
export type StoredAnswer =
  | { readonly ok: unknown; readonly of?: string | null }
  | { readonly problem: Problem }
  | { readonly again: true }

const checkProblem = objectOf<Pick<Problem, 'type' | 'title' | 'status' | 'detail' | 'instance' | 'request_id'>>({
  type: text,
  title: text,
  status: number,
  detail: text,
  instance: text,
  request_id: text,
})

function readProblem(json: unknown): Problem {
  checkProblem(json)
  return json as Problem
}

/** What `storeAnswer` wrote. */
export function readAnswer(json: unknown): StoredAnswer {
  const answer = object(json)
  if ('again' in answer) return { again: true }
  if ('problem' in answer) return { problem: readProblem(answer.problem) }
  const { ok, of } = answer
  return of === undefined ? { ok } : { ok, of: orNull(text)(of) }
}
