/** The page of GraphiQL, and the documents that it opens with. Contract, "GraphiQL". */
import { gunzipSync } from 'node:zlib'
import { coerceInputValue, Kind, typeFromAST, validate, visit } from 'graphql'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { schema } from '../../schema/index.ts'
import { examples } from '../../src/http/graphiql/examples.ts'
import { Documents, PreparedDocument } from '../../src/http/graphql-documents.ts'
import { assertWithinLimits } from '../../src/http/graphql-limits.ts'
import { type Db, openDb } from '../../src/store/db.ts'
import { testServer } from './support/test-server.ts'

describe.each(examples)('the example $name', ({ name, query, variables }) => {
  const prepared = new Documents(() => schema).prepare(query)
  if (!(prepared instanceof PreparedDocument)) throw new AggregateError(prepared.faults, name)
  const { document } = prepared
  const operations = document.definitions.flatMap((node) => (node.kind === Kind.OPERATION_DEFINITION ? [node] : []))

  it('is valid, begins with the operation that names its tab, and each operation is within the limits', () => {
    expect(validate(schema, document)).toEqual([])
    expect(operations[0]?.name?.value).toBe(name)
    for (const operation of operations)
      expect(() => assertWithinLimits(schema, document, operation.name?.value, variables)).not.toThrow()
  })

  it('has a value for each required variable, of its type, and none that no operation has', () => {
    const faults: string[] = []
    const known = new Set<string>()
    visit(document, {
      VariableDefinition({ variable, type }) {
        known.add(variable.name.value)
        const inputType = typeFromAST(schema, type)
        coerceInputValue(variables[variable.name.value], inputType as never, (_path, _value, error) =>
          faults.push(`${variable.name.value}: ${error.message}`),
        )
      },
    })
    expect(faults).toEqual([])
    expect(Object.keys(variables).filter((one) => !known.has(one))).toEqual([])
  })
})

describe('the page', () => {
  let db: Db
  beforeAll(() => {
    db = openDb({ url: 'postgres://nobody@127.0.0.1:9/none', poolMax: 1 })
  })
  afterAll(() => db?.close())

  it('comes compressed to clients that take that, is not sent again to a client that has it, and loads nothing from elsewhere', async () => {
    const { app } = testServer({ db })
    const get = (headers: Record<string, string>) =>
      app.inject({ method: 'GET', url: '/graphql', headers: { accept: 'text/html', ...headers } })
    const plain = await get({})
    const packed = await get({ 'accept-encoding': 'gzip, br' })
    expect([plain.headers['content-encoding'], packed.headers['content-encoding']]).toEqual([undefined, 'gzip'])
    expect(gunzipSync(packed.rawPayload).equals(plain.rawPayload)).toBe(true)
    expect(packed.rawPayload.length).toBeLessThan(plain.rawPayload.length / 3)
    expect((await get({ 'accept-encoding': 'gzip;q=0' })).headers['content-encoding']).toBeUndefined()
    const policy = String(plain.headers['content-security-policy'])
    expect(policy).toMatch(/^default-src 'none'; script-src 'sha256-[\w+/=]+' 'sha256-[\w+/=]+'; /)
    expect(policy).toContain("connect-src 'self'")
    expect(policy).not.toMatch(/https?:|unsafe-eval|\*/)
    expect(plain.body).not.toMatch(/<(?:script|link|img)[^>]+(?:src|href)="https?:/)
    // Without an identity provider.
    expect(plain.body).toContain('id="hub-sign-in" href="/auth/session?return_to=%2Fgraphql"')
    const again = await get({ 'if-none-match': String(plain.headers.etag), 'accept-encoding': 'gzip' })
    expect([again.statusCode, again.body.length]).toEqual([304, 0])
    await app.close()
  })

  it('leads to the identity provider of a hub that has one', async () => {
    const hrefOf = async (env: Record<string, string>) => {
      const { app } = testServer({ db, env })
      const { body } = await app.inject({ method: 'GET', url: '/graphql', headers: { accept: 'text/html' } })
      await app.close()
      return /id="hub-sign-in" href="([^"]+)"/.exec(body)?.[1]
    }
    const oidc = {
      OIDC_ISSUER: 'https://id.example',
      OIDC_AUDIENCE: 'hub',
      OIDC_CLIENT_ID: 'hub',
      OIDC_CLIENT_SECRET: 'x',
      PUBLIC_URL: 'https://hub.example',
    }
    expect(await hrefOf(oidc)).toBe('/auth/login?return_to=%2Fgraphql')
  })
})
