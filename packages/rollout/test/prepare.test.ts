/** What a folder says of its policy. */
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, onTestFinished, test } from 'vitest'
import { field } from '../../formats/test/policy/policy-files.ts'
import { policyIn } from '../src/processes/prepare.ts'

const example = fileURLToPath(new URL('../../../examples/pendulum/policy', import.meta.url))

test('a policy that carries its contract in its metadata is driven as one with the file beside it', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'policy-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  const beside = await policyIn(example, null)
  // Fields of a message may follow it: the file is the one of the example, with metadata.
  const metadata = field(14, [field(1, 'contract'), field(2, JSON.stringify(beside.contract))])
  await writeFile(join(folder, 'policy.onnx'), Buffer.concat([await readFile(join(example, 'policy.onnx')), metadata]))
  expect(beside.contract).toMatchObject({ joint_order: ['pivot'] })
  expect((await policyIn(folder, null)).contract).toEqual(beside.contract)
})
