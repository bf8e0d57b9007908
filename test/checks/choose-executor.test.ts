import { describe, expect, it } from 'vitest'
import { hostingTerms, maxCostUsd, onHost } from '../../src/checks/create/choose-executor.ts'
import { readConfig } from '../../src/platform/config.ts'
import { HubError } from '../../src/platform/errors.ts'
import type { JobExecutor } from '../../src/work/held-job.ts'

const settings = (more: Record<string, string> = {}) =>
  readConfig({ HOSTED_APP_NAME: 'coach', HOSTED_OWNERS: 'boss', ...more }).hosted
const bare = readConfig({ HOSTED_OWNERS: '*' }).hosted
const strict = settings({ HOSTED_ALLOWANCE_USD: '0' })

function terms(hosted: typeof bare, owner: string, asked: JobExecutor | null, isAgent = false): string {
  try {
    return hostingTerms(hosted, { owner, asked, isAgent })
  } catch (error) {
    if (error instanceof HubError) return error.type
    throw error
  }
}

describe('who executes a check, as far as the settings say', () => {
  it.each([
    ['a listed owner', settings(), 'boss', false, 'hosted', 'hosted'],
    ['everyone on the list', settings({ HOSTED_OWNERS: '*' }), 'ada', false, 'hosted', 'hosted'],
    ['another owner', settings(), 'ada', false, 'allowance', 'allowance'],
    ['an agent of a listed owner', settings(), 'boss', true, 'agent', 'agent'],
    ['an agent of another owner', settings(), 'ada', true, 'allowance', 'allowance'],
    ['a listed owner without any allowance', strict, 'boss', false, 'hosted', 'hosted'],
    ['another owner without any allowance', strict, 'ada', false, 'forbidden.hosted_owner', 'worker'],
    ['an agent of a listed owner without any allowance', strict, 'boss', true, 'agent', 'agent'],
    ['an agent of another owner without any allowance', strict, 'ada', true, 'forbidden.hosted_owner', 'worker'],
    ['anyone without a hosted app', bare, 'boss', false, 'not_configured.hosted_app', 'worker'],
    ['an agent without a hosted app', bare, 'boss', true, 'not_configured.hosted_app', 'worker'],
  ] as const)('for %s', (_who, hosted, owner, isAgent, explicit, chosen) => {
    expect(terms(hosted, owner, 'hosted', isAgent)).toBe(explicit)
    expect(terms(hosted, owner, null, isAgent)).toBe(chosen)
    expect(terms(hosted, owner, 'worker', isAgent)).toBe('worker')
  })
})

describe('the most that a hosted check can cost', () => {
  it.each([
    ['an hour at 0.20 USD an hour, unless set', {}, '0.2000'],
    ['its time limit', { HOSTED_CHECK_MAX_S: '600' }, '0.0334'],
    ['at the host rate', { HOSTED_CHECK_MAX_S: '7200', CHECK_HOST_RATE_USD_PER_HOUR: '0.35' }, '0.7000'],
  ])('is %s', (_what, more, expected) => {
    const hosted = settings(more)
    expect(maxCostUsd(hosted)).toBe(expected)
    expect(onHost(hosted)).toMatchObject({ priced: true, maxSeconds: hosted.checkMaxSeconds })
  })
})
