/**
 * A request of the graph whose free-form numbers keep their digits in both directions: urql sorts the members of
 * variables and reads answers as doubles, so that `1.0` and `9007199254740993` become other numbers.
 */
import { parseExact, writeExact } from '@hub/formats/exact-json'
import { CombinedError, stringifyDocument, type TypedDocumentNode } from '@urql/core'
import { type Answer, withoutFailedFields } from '../ui/root-field.ts'
import { patientFetch } from './patient-fetch.ts'

type GraphQLErrors = ConstructorParameters<typeof CombinedError>[0]['graphQLErrors']

interface Body<Data> {
  readonly data?: Data | null
  readonly errors?: GraphQLErrors
  /** Of a Problem, which the hub answers where it executes nothing: too many requests, for one. */
  readonly detail?: string
}

/** Never rejects: an unreachable hub is an error of the answer, as with urql. */
export async function exactRequest<Data, Variables>(
  document: TypedDocumentNode<Data, Variables>,
  variables: Variables,
): Promise<Answer<Data>> {
  try {
    const response = await patientFetch('/graphql', {
      method: 'POST',
      headers: { 'content-type': 'application/json', accept: 'application/graphql-response+json, application/json' },
      body: writeExact({ query: stringifyDocument(document), variables }),
    })
    const body = parseExact(await response.text()) as Body<Data>
    const graphQLErrors = errorsOf(body, response.status)
    const error = graphQLErrors && new CombinedError({ graphQLErrors, response })
    return withoutFailedFields({ data: body.data ?? undefined, error })
  } catch (error) {
    return { error: new CombinedError({ networkError: error as Error }) }
  }
}

function errorsOf(body: Body<unknown>, status: number): GraphQLErrors {
  if (body.errors || body.data !== undefined) return body.errors
  const message = body.detail ?? `The hub answered with ${status}: try again.`
  return [{ message, extensions: 'type' in body ? { problem: body } : {} }]
}
