import { describe, expect, it } from 'vitest'
import { keyInput } from '../../../web/src/pages/accounts/key-input.ts'

function form(fields: Readonly<Record<string, string>>): FormData {
  const data = new FormData()
  for (const [name, value] of Object.entries(fields)) data.set(name, value)
  return data
}

describe('the form of a new key', () => {
  it('asks for no limit where nothing is filled in', () => {
    expect(keyInput('ada', form({ name: ' ci ', scope: 'READ', days: '', repos: ' ', gpuHours: '' }), 0)).toEqual({
      owner: 'ada',
      name: 'ci',
      scope: 'READ',
      agent: false,
      repos: null,
      expiresAt: null,
      dailyGpuHourQuota: null,
    })
  })

  it('counts days from now, and reads a list of repos', () => {
    const fields = { name: 'ci', scope: 'TRAIN', days: '7', repos: 'ada/arm, ada/pick', gpuHours: '1.5', agent: 'on' }
    expect(keyInput('ada', form(fields), 0)).toMatchObject({
      scope: 'TRAIN',
      agent: true,
      repos: ['ada/arm', 'ada/pick'],
      expiresAt: '1970-01-08T00:00:00.000Z',
      dailyGpuHourQuota: 1.5,
    })
  })
})
