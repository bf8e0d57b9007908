/** `createClient` of `@hub/client`: every operation of `/v1` by its name, and documents of the graph. It runs on Node and in browsers. */

import { type DocumentNode, print } from 'graphql'
import { z } from 'zod'
import { openCaller } from '../call.ts'
import type { HubClientOptions } from '../caller-options.ts'
import { followLog } from '../follow-log.ts'
import { operationLines } from '../operation-lines.ts'
import { pages } from '../pages.ts'
import type { AnyParts } from '../request.ts'
import { defaultRetry } from '../retry.ts'
import { askOperation, type Given, operationCalls } from './operation-calls.ts'
import { subscription } from './subscription.ts'
import type { CallSettings, Client, ClientOptions, FollowSettings, OperationName } from './types.ts'

/**
 * What a client was made from, for those who make another kind of client of it; never shown with the client, since it
 * has the token.
 */
const optionsOf = new WeakMap<Client, HubClientOptions>()

/** The options of a client of this package. */
export function connectionOf(client: Client): HubClientOptions {
  const options = optionsOf.get(client)
  if (options === undefined) throw new TypeError('This is not a client that createClient of @hub/client made.')
  return options
}

/** A client of one hub. Nothing is sent before the first call. */
export function createClient(options: ClientOptions): Client {
  const { url, token = null, retry = defaultRetry, signal } = options
  if (!/^https?:$/.test(URL.canParse(url) ? new URL(url).protocol : ''))
    throw new TypeError(`${JSON.stringify(url)} is not the http(s) URL of a hub.`)
  const connection = { url, token, retry, signal }
  const caller = openCaller(connection)
  const follow = (
    name: 'streamRunLogs' | 'streamRobotCheckLogs',
    path: AnyParts['path'],
    settings: FollowSettings = {},
  ) =>
    followLog(
      caller,
      (query, headers, within) => caller.stream(operationLines[name], { path, query } as never, headers, within),
      { follow: true, ...settings },
    )
  const client: Client = {
    url: caller.url,
    v1: operationCalls(caller, JSON.parse),
    async *items(name: OperationName, given: Given = {}) {
      const read = (cursor: string | undefined) =>
        askOperation(
          caller,
          name,
          { ...given, query: { ...given.query, ...(cursor === undefined ? {} : { cursor }) } },
          JSON.parse,
        )
      for await (const page of pages<never>(caller.url, read as never)) yield* page
    },
    followRun: (runId, settings) => follow('streamRunLogs', { run_id: runId }, settings),
    followCheck: (checkId, settings) => follow('streamRobotCheckLogs', { check_id: checkId }, settings),
    graphql: async (document: unknown, variables = {}, { signal: within }: CallSettings = {}) => {
      const text = documentText(document)
      const settings = { signal: within, read: JSON.parse, isRepeatable: isQuery(text) }
      return (await caller.graph(text, variables, z.unknown(), settings)) as never
    },
    subscribe: (document: unknown, variables = {}, settings = {}) =>
      subscription(caller, documentText(document), variables, settings as never) as never,
  }
  optionsOf.set(client, connection)
  return client
}

/** Of a string, of a string with types (an object of its own class), or of what a parser made of one. */
function documentText(document: unknown): string {
  if (typeof document === 'string' || document instanceof String) return String(document)
  if (typeof document === 'object' && document !== null && 'kind' in document && document.kind === 'Document')
    return print(document as DocumentNode)
  throw new TypeError('The document is neither a text nor a parsed GraphQL document.')
}

/** Whether it certainly changes nothing: without the word there is no mutation in it. */
const isQuery = (text: string): boolean => !/\bmutation\b/.test(text)
