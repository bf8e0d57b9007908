/** The audits of GraphQL over HTTP that `graphql-http` keeps, against the hub with its own schema. */
import { serverAudits } from 'graphql-http'
import { describe, expect, it } from 'vitest'
import { contractHub } from '../support/hub.ts'

const hub = contractHub()
const audits = serverAudits({ url: () => new URL('/graphql', hub.running.url).href, fetchFn: fetch })

describe('GraphQL over HTTP', () => {
  it.each(audits.map((audit) => [`${audit.id}: ${audit.name}`, audit] as const))('%s', async (_name, audit) => {
    const result = await audit.fn()
    expect(result.status === 'ok' ? 'ok' : `${result.status}: ${result.reason}`).toBe('ok')
  })
})
