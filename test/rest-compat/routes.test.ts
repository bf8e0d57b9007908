import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { needs } from '@hub/testing/needs'
import { sharedDir } from '@hub/testing/shared'
import { Kind } from 'graphql'
import { describe, expect, it } from 'vitest'
import * as hf from '../../hf-compat/routes.ts'
import { documentReader } from '../../rest-compat/engine/documents.ts'
import { planRoutes } from '../../rest-compat/engine/mount.ts'
import { openApiDocument } from '../../rest-compat/engine/openapi.ts'
import { everywhere, statusesOf } from '../../rest-compat/engine/statuses.ts'
import { handlers, pending, routes } from '../../rest-compat/routes.ts'
import { schema } from '../../schema/index.ts'
import { planDocument, restDialect } from '../../src/http/dialect/planned-document.ts'
import { allocationCases } from './page-allocation.ts'
import { specOperations } from './spec-operations.ts'

const plans = planRoutes({ schema, routes, readDocument: documentReader() })
const shared = sharedDir()
const specDir = shared ? join(shared, 'spec') : null
const specTexts =
  specDir && existsSync(specDir)
    ? ['repos-files-cards-checks.md', 'runs-endpoints-spend.md'].map((name) =>
        readFileSync(join(specDir, name), 'utf8'),
      )
    : []

/** With `{name}` segments, as documents write it. */
const documented = (path: string) => path.replace(/:(\w+)/g, '{$1}')

it('has documents that fit the schema: no start validates them', () => {
  expect(() => plans.map((plan) => [plan.compiled(), plan.carriesSecrets(), plan.costOf({})])).not.toThrow()
})

it('of Hugging Face has documents that fit the schema', () => {
  const dialect = restDialect(schema)
  const names = new Set([...hf.routes, ...hf.handlers].flatMap(({ documents }) => documents))
  const fail = (why: string): never => {
    throw new Error(why)
  }
  for (const name of names) planDocument(hf.hfDocuments()(name), dialect, fail).compiled()
})

describe('a route that writes', () => {
  const kindOf = ({ document }: (typeof plans)[number]) =>
    document.definitions.flatMap((node) => (node.kind === Kind.OPERATION_DEFINITION ? [node.operation] : []))

  it.each(plans.map((plan) => [`${plan.route.method} ${plan.route.path}`, plan] as const))(
    '%s is a mutation of the graph, and one that reads is a query',
    (_name, plan) => {
      const { method } = plan.route
      expect(kindOf(plan)).toEqual([method === 'GET' ? 'query' : 'mutation'])
      const root = method === 'GET' ? schema.getQueryType() : schema.getMutationType()
      expect(Object.values(root?.getFields() ?? {}).map(({ name }) => name)).toContain(plan.rootField.name)
    },
  )
})

describe('the route table', () => {
  it('has every operation of the spec, or lists it as pending, never both', () => {
    const placed = [...[...routes, ...handlers].map(({ operation }) => operation), ...pending]
    expect(placed.filter((operation) => Object.hasOwn(specOperations, operation)).sort()).toEqual(
      Object.keys(specOperations).sort(),
    )
  })

  it('has no operation that is neither in the spec nor in the contract', () => {
    const contract = readFileSync(new URL('../../docs/contract.md', import.meta.url), 'utf8')
    const added = routes.filter(({ operation }) => !Object.hasOwn(specOperations, operation))
    const placeOf = ({ method, path }: (typeof routes)[number]) => `${method} ${documented(path)}`
    const advice =
      'Say in docs/contract.md what a client can rely on, with method and path in code: `POST /v1/full/path`.'
    expect(
      added.map(placeOf).filter((place) => !contract.includes(`\`${place}`)),
      advice,
    ).toEqual([])
  })

  it.each(
    routes
      .filter(({ operation }) => Object.hasOwn(specOperations, operation))
      .map((route) => [route.operation, route] as const),
  )('%s stands where the spec puts it and answers a status that is declared', (operation, route) => {
    const declared = specOperations[operation]
    expect([route.method, documented(route.path)]).toEqual([declared?.method, declared?.path])
    expect(declared?.statuses).toContain(route.status)
    expect(statusesOf(route)).toEqual(expect.arrayContaining([...(declared?.statuses ?? []), ...everywhere]))
  })

  it.each(plans.map((plan) => [plan.route.operation, plan] as const))(
    '%s has a document that compiles',
    (_name, plan) => {
      expect(plan.compiled().query).toBeTypeOf('function')
    },
  )

  it(
    'knows every path that the spec names',
    needs(specTexts.length === 0 && 'there is no folder with the texts of the spec (HUB_SHARED_DIR)'),
    () => {
      const named = specTexts.flatMap((text) =>
        [...text.matchAll(/^\*\*(GET|POST|PUT|PATCH|DELETE) (\/v1\/[^\s*]+)\*\*/gm)].map(
          ([, method, path]) => `${method} ${path}`,
        ),
      )
      const known = Object.values(specOperations).map(({ method, path }) => `${method} ${path}`)
      expect(named.length).toBeGreaterThan(40)
      expect(named.filter((operation) => !known.includes(operation))).toEqual([])
    },
  )

  it('has no two routes on one method and path', () => {
    const places = routes.map((route) => `${route.method} ${route.path}`)
    expect(new Set(places).size).toBe(places.length)
  })

  it('declares a scope for every operation, beside its resolver', () => {
    for (const { rootField, route } of plans)
      expect([route.operation, rootField.extensions.scope]).toEqual([
        route.operation,
        expect.stringMatching(/^(none|key:(read|write|train)|session)$/),
      ])
  })
})

describe('the OpenAPI document of the table', () => {
  const document = openApiDocument({ plans, handlers }, 'https://hub.example') as {
    paths: Record<string, Record<string, { operationId: string; responses: object; 'x-scope': string }>>
    components: { schemas: Record<string, object> }
  }

  it('is the committed rest-compat/openapi.json, byte for byte', () => {
    const committed = readFileSync(new URL('../../rest-compat/openapi.json', import.meta.url), 'utf8')
    const advice = 'Run `npm run codegen`, and review the diff.'
    expect(`${JSON.stringify(openApiDocument({ plans, handlers }, null), null, 2)}\n`, advice).toBe(committed)
  })

  it('has each operation once, and every reference in it leads somewhere', () => {
    const ids = Object.values(document.paths).flatMap((path) =>
      Object.values(path).map((operation) => operation.operationId),
    )
    const documented = [...routes, ...handlers.filter(({ openApi }) => openApi !== null)]
    expect(ids.sort()).toEqual(documented.map(({ operation }) => operation).sort())
    const references = [...JSON.stringify(document).matchAll(/"\$ref":"#\/components\/schemas\/([^"]+)"/g)].map(
      (match) => match[1],
    )
    for (const name of new Set(references)) expect(Object.keys(document.components.schemas)).toContain(name)
  })

  it('carries the limits that the schema checks', () => {
    const presign = JSON.stringify(document.paths['/v1/repos/{owner}/{repo}/files/presign-upload'])
    expect(presign).toContain('"minItems":1')
    expect(presign).toContain('"maxItems":100')
    const create = JSON.stringify(document.paths['/v1/repos']?.post)
    expect(create).toContain('"maxLength":4000')
    expect(create).toContain('"slug"')
  })

  it('shows the body that the verb itself checks, with the limits of its schema', () => {
    const bodyOf = (path: string, method: string) =>
      (document.paths[path]?.[method] as { requestBody?: unknown } | undefined)?.requestBody
    const ref = { $ref: '#/components/schemas/RobotCardPut' }
    const json = (schema: object) => ({ 'application/json': { schema } })
    expect(bodyOf('/v1/robots/{owner}/{repo}/card', 'put')).toEqual({ required: true, content: json(ref) })
    expect(bodyOf('/v1/robots/{owner}/{repo}/validate', 'post')).toEqual({
      required: false,
      content: json({
        type: 'object',
        properties: { card: { anyOf: [ref, { type: 'null' }] } },
        additionalProperties: false,
      }),
    })
    expect(document.components.schemas.RobotCardPut).toMatchObject({
      required: ['dof'],
      additionalProperties: false,
      properties: { mass_kg: { anyOf: [{ type: 'number', minimum: 0 }, { type: 'null' }] } },
    })
    expect(document.components.schemas.RobotCard).toMatchObject({
      properties: { actuators: { type: 'array', items: { required: ['name', 'model', 'count'] } } },
    })
  })

  it('promises no member that an answer leaves out where it is not set', () => {
    const repo = document.components.schemas.Repo as { required: string[]; properties: Record<string, object> }
    expect(repo.required).toContain('file_summary')
    expect(repo.required).not.toContain('dataset_meta')
    expect(repo.required).not.toContain('model_meta')
    expect(JSON.stringify(repo.properties.dataset_meta)).not.toContain('"anyOf"')
  })

  it('speaks snake_case and the spec spelling of enums', () => {
    expect(document.components.schemas.RepoKind).toMatchObject({ enum: ['dataset', 'model', 'robot'] })
    expect(document.components.schemas.Repo).toMatchObject({
      properties: { full_name: { type: 'string' }, dataset_meta: {}, file_summary: {} },
    })
  })
})

allocationCases()
