/** Spec, "Robot checks" and "Authentication": statuses and scopes of the operations, as the OpenAPI document declares them. */
import { describe, expect, it } from 'vitest'
import { documentReader } from '../../rest-compat/engine/documents.ts'
import { planRoutes } from '../../rest-compat/engine/mount.ts'
import { openApiDocument } from '../../rest-compat/engine/openapi.ts'
import { handlers, routes } from '../../rest-compat/routes.ts'
import { schema } from '../../schema/index.ts'

const document = openApiDocument(
  { plans: planRoutes({ schema, routes, readDocument: documentReader() }), handlers },
  null,
)
// biome-ignore lint/suspicious/noExplicitAny: a JSON document
const paths = document.paths as Record<string, Record<string, any>>

/** Method, path, scope, status of success, statuses of the errors that the spec lists. */
const operations = [
  ['get', '', 'key:read', 200, [401, 422]],
  ['post', '', 'key:write', 201, [401, 403, 404, 409, 422, 429, 503]],
  ['get', '/{check_id}', 'key:read', 200, [401, 404]],
  ['post', '/{check_id}/claim', 'key:write', 200, [401, 403, 404, 409, 422]],
  ['post', '/{check_id}/artifacts', 'key:write', 200, [401, 403, 404, 409, 422]],
  ['post', '/{check_id}/report', 'key:write', 200, [401, 403, 404, 409, 413, 422]],
  ['post', '/{check_id}/publish', 'key:write', 200, [401, 403, 404, 409, 422, 503]],
  ['post', '/{check_id}/cancel', 'key:write', 202, [401, 403, 404, 409, 502]],
  ['post', '/claim-next', 'key:write', 200, [401, 403, 422]],
] as const

describe('an operation on checks declares its scope and statuses:', () => {
  it.each(operations)('%s /v1/robot-checks%s needs %s and answers %i', (method, path, scope, success, errors) => {
    const operation = paths[`/v1/robot-checks${path}`]?.[method]
    const declared = Object.keys(operation.responses).map(Number)
    expect(operation['x-scope']).toBe(scope)
    // 202 of the create: the spend hold.
    const held = method === 'post' && path === '' ? [202] : []
    expect(declared.filter((status) => status < 300 && status !== 204)).toEqual([success, ...held])
    expect(declared).toEqual(expect.arrayContaining([...errors]))
    for (const status of errors)
      expect(operation.responses[status].content).toHaveProperty(['application/problem+json'])
  })

  it('the 429 of createRobotCheck with the headers of the quota', () => {
    expect(Object.keys(paths['/v1/robot-checks']?.post.responses[429].headers)).toEqual([
      'Retry-After',
      'X-Robot-Check-Quota-Limit',
      'X-Robot-Check-Quota-Used',
    ])
  })
})
