/**
 * The client of the graph: queries and mutations over `/graphql`, subscriptions over `/graphql/stream`; the session
 * cookie is the credential.
 */
import {
  cacheExchange,
  createClient,
  type ExecutionResult,
  fetchExchange,
  mapExchange,
  subscriptionExchange,
} from '@urql/core'
import { createClient as createSseClient } from 'graphql-sse'
import { withoutFailedFields } from '../ui/root-field.ts'
import { patientFetch } from './patient-fetch.ts'
import { resumable, waitMs } from './resume.ts'

const knownFields = mapExchange({ onResult: withoutFailedFields })

// One connection for all subscriptions of a tab: a browser opens six at most over HTTP/1.1.
const events = createSseClient({
  url: '/graphql/stream',
  singleConnection: true,
  lazyCloseTimeout: 2_000,
  retryAttempts: Number.POSITIVE_INFINITY,
  retry: (retries) => new Promise((resolve) => setTimeout(resolve, waitMs(retries, Math.random()))),
})

/**
 * For answers that are large and asked for once, such as a part of a curve: those of `client` stay in its cache as long
 * as the page is open.
 */
export const readings = createClient({
  url: '/graphql',
  fetch: patientFetch,
  preferGetMethod: false,
  exchanges: [knownFields, fetchExchange],
})

export const client = createClient({
  url: '/graphql',
  fetch: patientFetch,
  preferGetMethod: false,
  requestPolicy: 'cache-and-network',
  exchanges: [
    cacheExchange,
    knownFields,
    fetchExchange,
    subscriptionExchange({
      forwardSubscription: ({ query = '', variables }) => ({
        subscribe: (sink) => {
          const { request, heard } = resumable(query, variables)
          const next = (result: ExecutionResult) => {
            heard(result)
            sink.next(result)
          }
          return {
            unsubscribe: events.subscribe(request, {
              next: (result) => next(result as ExecutionResult),
              error: (error) => sink.error(error),
              complete: () => sink.complete(),
            }),
          }
        },
      }),
    }),
  ],
})
