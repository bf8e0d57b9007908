// @module-tag own-graph
/** A server with a small schema that covers every outcome of a route, and a real database. */
import { GraphQLError, type GraphQLSchema, parse } from 'graphql'
import { createSchema } from 'graphql-yoga'
import { pino } from 'pino'
import { restMount } from '../../../rest-compat/engine/mount.ts'
import { body, path, query, type Route } from '../../../rest-compat/engine/route.ts'
import { SharedChanges } from '../../../src/accounts/changes/shared-changes.ts'
import { tokenSeal } from '../../../src/hosting/token-seal.ts'
import { buildServer, type ServerParts } from '../../../src/http/server.ts'
import { commitVerb, guarded } from '../../../src/operation/commit-verb.ts'
import type { AllowedContext, Credentialed, Deps, RequestContext, Viewer } from '../../../src/operation/context.ts'
import { readConfig } from '../../../src/platform/config.ts'
import { HubError, notFound } from '../../../src/platform/errors.ts'
import { repoReferrers } from '../../../src/repo-referrers.ts'
import type { Db } from '../../../src/store/db.ts'
import { JobLogs } from '../../../src/work/log/shared-logs.ts'
import { noBackend } from '../../support/no-backend.ts'
import { noSigningKeys } from '../../support/no-signing-keys.ts'

const typeDefs = `
  type Thing { id: ID! fullName: String! madeAt: String url: String }
  type PageInfo { endCursor: String hasNextPage: Boolean! }
  type ThingConnection { nodes: [Thing!]! pageInfo: PageInfo! }
  input MakeThingInput { name: String!, fail: String }
  type Query {
    thing(name: String!): Thing
    things(first: Int, after: String): ThingConnection!
    nested: Nested
    who: String
  }
  type Nested { nested: Nested name: String things(first: Int): ThingConnection! }
  type Mutation { makeThing(input: MakeThingInput!): Thing checkThing(input: MakeThingInput!): Thing }
  type Subscription { ticks(count: Int!): Int! }
`

const insert = { name: '', text: 'insert into deleted_repos (repo_id) values ($1) returning repo_id' }

/** Call counts, which show whether a verb ran again. */
interface Counters {
  made: number
  checked: number
  urls: number
}

function testSchema(counters: Counters, gate: { wait: Promise<void> }): GraphQLSchema {
  const make = async (ctx: AllowedContext, input: { name: string; fail?: string | null }) => {
    counters.made += 1
    await gate.wait
    if (input.fail === 'taken')
      throw new HubError('conflict.taken', 'Taken.', {
        items: [{ type: 'conflict.taken', detail: 'Taken.', loc: ['input', 'name'] }],
      })
    if (input.fail === 'crash') throw new Error('password=hunter2')
    return commitVerb(ctx, async (tx) => {
      await tx.query(insert, [input.name])
      return { id: input.name, fullName: `test/${input.name}` }
    })
  }
  const schema = createSchema<RequestContext>({
    typeDefs,
    resolvers: {
      Thing: {
        url: () => {
          counters.urls += 1
          return `https://store/${counters.urls}`
        },
      },
      Query: {
        thing: (_root, { name }) =>
          name === 'gone'
            ? null
            : name === 'broken'
              ? Promise.reject(new Error('secret inside'))
              : { id: name, fullName: `test/${name}` },
        things: (_root, { first, after }) => {
          if (first > 100)
            throw new HubError('validation.failed', 'first: at most 100', {
              items: [{ type: 'validation.value', detail: 'at most 100', loc: ['first'] }],
            })
          return {
            nodes: [{ id: after ?? 'a', fullName: 'test/a' }],
            pageInfo: { endCursor: 'next', hasNextPage: !after },
          }
        },
        nested: () => ({ name: 'x' }),
        who: (_root, _args, ctx) => (ctx.viewer.kind === 'anonymous' ? 'anonymous' : ctx.viewer.credentialId),
      },
      Nested: { nested: () => ({ name: 'x' }), things: () => ({ nodes: [], pageInfo: { hasNextPage: false } }) },
      Mutation: {
        makeThing: (_root, { input }, ctx) =>
          guarded(
            ctx,
            () => undefined,
            (allowed) => make(allowed, input),
          ),
        checkThing: (_root, { input }) => {
          counters.checked += 1
          return { id: input.name, fullName: input.name }
        },
      },
      Subscription: {
        ticks: {
          subscribe: async function* (_root: unknown, { count }: { count: number }, ctx: RequestContext) {
            for (let tick = 0; tick < count && !ctx.signal.aborted; tick += 1) yield { ticks: tick }
            if (count > 1000) throw new GraphQLError('never')
          },
        },
      },
    },
  })
  for (const type of ['Query', 'Subscription'] as const) {
    for (const field of Object.values(
      (schema.getType(type) &&
        (type === 'Query' ? schema.getQueryType() : schema.getSubscriptionType())?.getFields()) ||
        {},
    )) {
      field.extensions = { ...field.extensions, scope: 'none' }
    }
  }
  for (const field of Object.values(schema.getMutationType()?.getFields() ?? {}))
    field.extensions = { ...field.extensions, scope: 'key:write' }
  return schema
}

const fieldsOfThing = '{ id full_name: fullName made_at: madeAt }'
const documents: Readonly<Record<string, string>> = {
  thing: `query ($name: String!) { thing(name: $name) ${fieldsOfThing} }`,
  things: `query ($limit: Int, $cursor: String) { things(first: $limit, after: $cursor) { items: nodes ${fieldsOfThing} pageInfo { endCursor hasNextPage } } }`,
  make: 'mutation ($input: MakeThingInput!) { makeThing(input: $input) { id full_name: fullName url } }',
  check: 'mutation ($input: MakeThingInput!) { checkThing(input: $input) { id full_name: fullName } }',
}

const testRoutes: readonly Route[] = [
  {
    operation: 'getThing',
    method: 'GET',
    path: '/v1/things/:name',
    document: 'thing',
    params: { name: path('name') },
    status: 200,
    result: 'object',
    missing: 'The thing :name',
  },
  {
    operation: 'listThings',
    method: 'GET',
    path: '/v1/things',
    document: 'things',
    params: { limit: query('limit'), cursor: query('cursor') },
    status: 200,
    result: 'page',
  },
  {
    operation: 'makeThing',
    method: 'POST',
    path: '/v1/things',
    document: 'make',
    params: { input: body() },
    status: 201,
    result: 'object',
    headers: (thing) => ({ location: `/v1/things/${String(thing.id)}` }),
  },
  {
    operation: 'checkThing',
    method: 'POST',
    path: '/v1/things/check',
    document: 'check',
    params: { input: body() },
    status: 200,
    result: 'object',
  },
]

const account = { id: 'user_1', kind: 'user', handle: 'ann', name: null } as const

/** `Bearer <name>` is the write key `key_<name>`; `Bearer bad` is rejected. */
export async function testViewer(authorization: string | undefined): Promise<Viewer> {
  if (authorization === undefined) return { kind: 'anonymous' }
  const name = authorization.replace(/^Bearer /, '')
  if (name === 'bad') throw new HubError('auth.invalid', 'The credential is unknown, expired or revoked.')
  const viewer: Credentialed = {
    kind: 'key',
    credentialId: `key_${name}`,
    account,
    personId: 'user_1',
    accountIds: ['user_1'],
    ownedOrgIds: [],
    level: 'write',
    repoIds: null,
    agent: false,
    name,
    dailyGpuHourQuota: null,
    expiresAt: null,
  }
  return viewer
}

export interface TestServerOptions {
  readonly db: Db
  readonly env?: Record<string, string>
  readonly parts?: Partial<ServerParts>
  readonly log?: Deps['log']
}

/** The server, and the counters of its verbs. `makeThing` waits for `gate.wait`. */
export function testServer(options: TestServerOptions) {
  const counters: Counters = { made: 0, checked: 0, urls: 0 }
  const gate = { wait: Promise.resolve() }
  const log = options.log ?? pino({ level: 'silent' })
  const events = { hint: () => undefined, watch: () => notWatched(), instance: null, close: async () => undefined }
  const deps: Deps = {
    config: readConfig(options.env ?? {}),
    log,
    db: options.db,
    objects: null,
    queue: { send: async () => undefined, sendAll: async () => undefined, stop: async () => undefined },
    events,
    logs: new JobLogs({ db: options.db, objects: null }),
    changes: new SharedChanges(options.db),
    hosted: noBackend,
    tokenSeal: tokenSeal('s'.repeat(32)),
    models: { read: () => fail('a model'), close: async () => undefined },
    repoReferrers,
    signingKeys: noSigningKeys,
    findings: async () => [],
    stopping: new AbortController().signal,
  }
  const schema = testSchema(counters, gate)
  const parts: ServerParts = {
    schema,
    rest: restMount({
      schema,
      routes: testRoutes,
      handlers: [],
      readDocument: (name) => parse(documents[name] ?? fail(name)),
    }),
    authenticate: (request) => testViewer(request.headers.authorization),
    ...options.parts,
  }
  return { app: buildServer(deps, parts), counters, gate }
}

function fail(name: string): never {
  throw notFound(name)
}

async function* notWatched(): AsyncIterable<number> {
  yield 0
}
