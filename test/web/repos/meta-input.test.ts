/** What the forms of meta blocks ask the hub for. */
import { describe, expect, it } from 'vitest'
import { datasetMetaInput, modelMetaInput } from '../../../web/src/pages/repos/settings/meta-input.ts'

function form(fields: Readonly<Record<string, string>>): FormData {
  const data = new FormData()
  for (const [name, value] of Object.entries(fields)) data.set(name, value)
  return data
}

describe('the form of a model', () => {
  it('keeps what it does not show: the run and the interface', () => {
    const known = { sourceRunId: 'run_1', embodimentFingerprint: 'abc' }
    const fields = { policyType: ' act ', robot: 'ada/arm', baseModel: '', controlClass: 'SKILL' }
    expect(modelMetaInput(form(fields), known)).toEqual({
      policyType: 'act',
      robot: 'ada/arm',
      baseModel: null,
      controlClass: 'SKILL',
      ...known,
    })
  })

  it('declares no level where none is chosen', () => {
    expect(modelMetaInput(form({ policyType: 'act', controlClass: '' }), null)).toMatchObject({
      controlClass: null,
      sourceRunId: null,
      embodimentFingerprint: null,
    })
  })
})

describe('the form of a dataset', () => {
  it('sends numbers, and no rate where none is given', () => {
    expect(datasetMetaInput(form({ episodeCount: '50', totalFrames: '1200', fps: '', robotType: ' so100 ' }))).toEqual({
      episodeCount: 50,
      totalFrames: 1200,
      fps: null,
      robotType: 'so100',
    })
    expect(datasetMetaInput(form({ episodeCount: '0', totalFrames: '0', fps: '29.97' })).fps).toBe(29.97)
  })
})
