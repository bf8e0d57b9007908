/**
 * The root fields of an answer, each by itself: of several in one document each may fail, and the others are there.
 * Contract, "Reading". Pure.
 */
import { CombinedError } from '@urql/core'

export interface Answer<Data> {
  readonly data?: Data | undefined
  readonly error?: CombinedError | undefined
}

/**
 * The client passes each answer through this: a root field that failed is left out of the data, so that null is always
 * "there is none", also while urql asks again and has forgotten the error.
 */
export function withoutFailedFields<Result extends Answer<unknown>>(result: Result): Result {
  const { data, error } = result
  if (!error || typeof data !== 'object' || data === null) return result
  const known = Object.entries(data).filter(([name, value]) => value !== null || !errorOf(error, name))
  return { ...result, data: Object.fromEntries(known) }
}

export interface RootField<Value> {
  /**
   * Undefined where it is not known: before the first answer, and where the field failed. Null where the hub has no
   * such thing for the caller.
   */
  readonly value: Value | undefined
  /** What is wrong with it or below it, or with the request as a whole; never what is wrong with another root field. */
  readonly error: CombinedError | undefined
}

/** `name` is the field's name in the answer: its alias, where it has one. */
export function rootField<Data extends object, Name extends keyof Data & string>(
  { data, error }: Answer<Data>,
  name: Name,
): RootField<Data[Name]> {
  return { value: data?.[name], error: error && errorOf(error, name) }
}

/** Without a path an error is of the whole request. */
function errorOf(error: CombinedError, name: string): CombinedError | undefined {
  if (error.networkError) return error
  const graphQLErrors = error.graphQLErrors.filter(({ path = [] }) => path.length === 0 || path[0] === name)
  if (graphQLErrors.length === error.graphQLErrors.length) return error
  return graphQLErrors.length > 0 ? new CombinedError({ graphQLErrors, response: error.response }) : undefined
}
