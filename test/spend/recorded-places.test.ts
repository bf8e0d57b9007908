import { describe, expect, it } from 'vitest'
import { HubError, invalid, type Loc } from '../../src/platform/errors.ts'
import { placedInRecord } from '../../src/spend/recorded-places.ts'

const record = { recipe: { template: 'act', hyperparams: { learningRate: 1, layers: [{ hiddenSize: 8 }] } } }

describe('the place of an error of an approval', () => {
  const placeOf = (loc: Loc) => {
    const placed = placedInRecord(record, invalid('validation.value', 'is wrong', loc))
    return placed instanceof HubError ? placed.items[0]?.loc : placed
  }

  it('is in the recorded request, in its names: those of /v1, and the own ones of free-form members', () => {
    expect(placeOf(['recipe', 'maxHours'])).toEqual(['recipe', 'max_hours'])
    expect(placeOf(['parentRunId'])).toEqual(['parent_run_id'])
    expect(placeOf(['recipe', 'hyperparams', 'learningRate'])).toEqual(['recipe', 'hyperparams', 'learningRate'])
    expect(placeOf(['recipe', 'hyperparams', 'layers', 0, 'hiddenSize'])).toEqual([
      'recipe',
      'hyperparams',
      'layers',
      0,
      'hiddenSize',
    ])
  })

  it('is the same in a sentence that begins with it', () => {
    const detail = 'recipe.maxHours: is too much'
    const error = new HubError('quota.gpu_hours', detail, {
      items: [{ type: 'quota.gpu_hours', detail: 'is too much', loc: ['recipe', 'maxHours'] }],
      facts: { limit: 24, used: 30, retryAfterS: 60 },
    })
    expect(placedInRecord(record, error)).toMatchObject({
      message: 'recipe.max_hours: is too much',
      facts: { retryAfterS: 60 },
    })
  })

  it('is not invented where an error has none', () => {
    const other = new Error('lost connection')
    const bare = new HubError('conflict.key_gone', 'The key is gone.')
    expect([placedInRecord(record, other), placedInRecord(record, bare)]).toEqual([other, bare])
    expect(placedInRecord(record, bare)).toBe(bare)
  })
})
