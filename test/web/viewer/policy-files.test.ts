/** Which files are a policy, as the page of a robot takes them. */
import { describe, expect, it } from 'vitest'
import { MAX_POLICY_BYTES, policyOf, policyPaths } from '../../../web/src/viewer/drive/policy-files.ts'

const listed = (...paths: readonly string[]) => paths.map((path) => [path, 100] as const)

describe('a policy in a repo', () => {
  it.each([
    [listed('policy.onnx', 'contract.json', 'task.json'), ['policy.onnx', 'contract.json', 'task.json']],
    [listed('manifest.json', 'policy/model.onnx', 'README.md'), ['policy/model.onnx', 'manifest.json', null]],
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

  it('has the contract of its manifest, and says which file is no JSON', async () => {
    const texts: Record<string, string> = {
      'p.onnx': 'o',
      'contract.json': '{"contract":{"version":1}}',
      'task.json': '{',
    }
    const read = (paths: readonly string[]) =>
      Promise.resolve(paths.map((path) => new TextEncoder().encode(texts[path])))
    const paths = policyPaths(listed('p.onnx', 'contract.json'))
    expect(await policyOf('ada/p', paths, read)).toMatchObject({ name: 'ada/p', contract: { version: 1 }, task: null })
    await expect(policyOf('ada/p', { ...paths, task: 'task.json' }, read)).rejects.toThrow('task.json is no JSON.')
  })
})
