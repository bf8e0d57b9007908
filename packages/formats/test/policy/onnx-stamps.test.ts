/** Which declaration of an ONNX policy counts. */
import { describe, expect, test } from 'vitest'
import { drivenContract, jointContract, stampPaths, stampsOf } from '../../src/policy/onnx-stamps.ts'

const metadata = { contract: '{"joint_order":["own"]}', control_class: 'reflex' }
const beside = (value: Record<string, unknown>) => ({ path: 'p/contract.json', value })

describe('the declarations of an ONNX policy', () => {
  test('stand beside it and in its metadata, in this order', () => {
    expect(stampPaths('p/walk.onnx')).toEqual(['p/contract.json', 'p/manifest.json'])
    expect(stampPaths('walk.onnx')).toEqual(['contract.json', 'manifest.json'])
    const both = stampsOf(beside({ policy_type: 'act' }), metadata)
    expect(both.map(({ path }) => path)).toEqual(['p/contract.json', null])
    expect(stampsOf(null, null)).toEqual([])
  })

  test.each([
    ['the contract beside it', beside({ contract: { joint_order: ['a'] } }), ['a']],
    ['a file that is the contract itself', beside({ joint_order: ['b'] }), ['b']],
    ['its metadata where no file names joints', beside({ contract: { control_rate_hz: 50 } }), ['own']],
    ['its metadata alone', null, ['own']],
  ])('%s has the joints', (_, document, joints) => {
    const stamps = stampsOf(document, metadata)
    expect(jointContract(stamps)).toMatchObject({ joint_order: joints })
    expect(drivenContract(stamps)).toBe(jointContract(stamps))
  })

  test('a contract without joints drives where there is no other', () => {
    const stamps = stampsOf(beside({ contract: { control_rate_hz: 50 } }), {})
    expect([jointContract(stamps), drivenContract(stamps)]).toEqual([null, { control_rate_hz: 50 }])
    expect(drivenContract(stampsOf(null, {}))).toBe(null)
  })
})
