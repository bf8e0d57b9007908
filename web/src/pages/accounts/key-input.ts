/** The request for a key from the form of the page. Pure. */
import type { CreateKeyMutationVariables } from './keys.graphql.ts'

const DAY_MS = 86_400_000

/** What is left empty is no limit. `now` in milliseconds since 1970. */
export function keyInput(owner: string, form: FormData, now: number): CreateKeyMutationVariables['input'] {
  const text = (name: string) => String(form.get(name) ?? '').trim()
  const scope = text('scope')
  const repos = text('repos')
    .split(/[\s,]+/)
    .filter((name) => name !== '')
  return {
    owner,
    name: text('name'),
    scope: scope === 'WRITE' || scope === 'TRAIN' ? scope : 'READ',
    agent: form.get('agent') !== null,
    repos: repos.length > 0 ? repos : null,
    expiresAt: text('days') === '' ? null : new Date(now + Number(text('days')) * DAY_MS).toISOString(),
    dailyGpuHourQuota: text('gpuHours') === '' ? null : Number(text('gpuHours')),
  }
}
