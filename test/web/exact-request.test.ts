// @module-tag own-graph
/** Requests of the pages whose numbers keep their digits, and what they make of other answers. */
import { writeExact } from '@hub/formats/exact-json'
import { gql } from '@urql/core'
import { afterEach, expect, it, vi } from 'vitest'
import { exactRequest } from '../../web/src/app/exact-request.ts'
import { messageOf, titleOf } from '../../web/src/ui/problem.ts'

const document = gql<{ readonly run: unknown }, { readonly value: unknown }>(
  'query q($value: JSON) { run(id: $value) }',
)

/** The request that was sent. */
function answering(status: number, text: string) {
  const sent = vi.fn(async (_path: string, _request: { readonly body: string }) => new Response(text, { status }))
  vi.stubGlobal('fetch', sent)
  return sent
}
afterEach(() => vi.unstubAllGlobals())

it('keeps digits and the order of members in both directions', async () => {
  const text = '{"z": 1.0, "a": 9007199254740993}'
  const sent = answering(200, `{"data": {"run": ${text}}}`)
  const { data, error } = await exactRequest(document, {
    value: (await exactRequest(document, { value: 1 })).data?.run,
  })
  expect([writeExact(data?.run), error]).toEqual(['{"z":1.0,"a":9007199254740993}', undefined])
  expect(sent.mock.calls.at(-1)?.[1].body).toContain('"value":{"z":1.0,"a":9007199254740993}')
})

it('has errors of the graph, Problems and other answers in words for a person', async () => {
  answering(200, '{"errors": [{"message": "no", "path": ["run"]}], "data": {"run": null}}')
  const failed = await exactRequest(document, { value: 1 })
  expect([failed.data, failed.error?.graphQLErrors[0]?.message]).toEqual([{}, 'no'])
  answering(429, '{"type": "x/rate.limited", "title": "Too many requests", "detail": "Wait 3 s."}')
  const limited = (await exactRequest(document, { value: 1 })).error
  expect(limited && [titleOf(limited), messageOf(limited)]).toEqual(['Too many requests', 'Wait 3 s.'])
  answering(502, '{}')
  const odd = (await exactRequest(document, { value: 1 })).error
  expect(odd && messageOf(odd)).toContain('The hub answered with 502')
  answering(502, '<html>')
  const down = (await exactRequest(document, { value: 1 })).error
  expect(down && messageOf(down)).toContain('cannot be reached')
})
