/** Which files are a policy, as the page of a robot takes them. */
import { describe, expect, it } from 'vitest'
import { onnx } from '../../../packages/formats/test/policy/policy-files.ts'
import { MAX_POLICY_BYTES, policyOf, policyPaths } from '../../../web/src/viewer/drive/policy-files.ts'

const listed = (...paths: readonly string[]) => paths.map((path) => [path, 100] as const)

describe('a policy in a repo', () => {
  it.each([
    [listed('policy.onnx', 'contract.json', 'task.json'), ['policy.onnx', 'contract.json', 'task.json']],
    [listed('manifest.json', 'policy/model.onnx', 'README.md'), ['policy/model.onnx', null, null]],
    [listed('p/manifest.json', 'p/x.onnx', 'task.json'), ['p/x.onnx', 'p/manifest.json', 'task.json']],
    [listed('policy.onnx', 'contract.json', 'manifest.json'), ['policy.onnx', 'contract.json', null]],
  ])('is its ONNX file with what stands beside it: %#', (files, [onnx, contract, task]) => {
    expect(policyPaths(files)).toEqual({ onnx, contract, task })
  })

  it('is named where there are several, and refused where there is none or too much of it', () => {
    const two = listed('a/x.onnx', 'b/y.onnx', 'b/contract.json')
    expect(() => policyPaths(two)).toThrow('There are several policies: name one of a/x.onnx, b/y.onnx after a colon.')
    expect(policyPaths(two, 'b/y.onnx')).toMatchObject({ onnx: 'b/y.onnx', contract: 'b/contract.json' })
    expect(() => policyPaths(listed('README.md'))).toThrow('There is no ONNX file.')
    expect(() => policyPaths(two, 'c.onnx')).toThrow('There is no c.onnx.')
    expect(() => policyPaths([['big.onnx', MAX_POLICY_BYTES + 1]])).toThrow('a page runs 128 at most')
  })

  const reader = (files: Readonly<Record<string, string | Buffer>>) => (paths: readonly string[]) =>
    Promise.resolve(paths.map((path) => new Uint8Array(Buffer.from(files[path] ?? ''))))
  const read = reader({
    'p.onnx': onnx({ metadata: { contract: '{"joint_order":["a"],"control_rate_hz":50.0}' } }),
    'contract.json': '{"contract":{"joint_order":["b"]}}',
    'task.json': '{',
    'broken.onnx': 'o',
  })

  it('has the contract beside it, else that of its own metadata, in plain numbers', async () => {
    const paths = policyPaths(listed('p.onnx', 'contract.json'))
    const beside = { name: 'ada/p', contract: { joint_order: ['b'] }, task: null }
    expect(await policyOf('ada/p', paths, read)).toMatchObject(beside)
    const own = await policyOf('ada/p', policyPaths(listed('p.onnx')), read)
    expect(own.contract).toEqual({ joint_order: ['a'], control_rate_hz: 50 })
    expect(own.inputs).toEqual([{ name: 'obs', type: 'float32', shape: ['batch', 48] }])
  })

  it('says which file cannot be read', async () => {
    const paths = policyPaths(listed('p.onnx', 'task.json'))
    await expect(policyOf('ada/p', paths, read)).rejects.toThrow('task.json is not JSON.')
    await expect(policyOf('ada/p', policyPaths(listed('broken.onnx')), read)).rejects.toThrow('broken.onnx')
  })
})
