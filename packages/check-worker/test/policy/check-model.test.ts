/**
 * A model check reads a policy's declarations, compares them with the robot's interface, and derives missing ones.
 * Spec, "Model check".
 */
import { createHash } from 'node:crypto'
import { interfaceFingerprint } from '@hub/robot-card/fingerprint'
import { describe, expect, it } from 'vitest'
import { externalWeight, onnx, safetensors } from '../../../formats/test/policy/policy-files.ts'
import { modelLimits } from '../../src/policy/check-model.ts'
import { contractFingerprint, derivedContract } from '../../src/policy/contract.ts'
import { answers, face, fingerprint, modelChecks, robotCard } from './support/model-checks.ts'

const { check } = modelChecks()

const fits = onnx({ inputs: { obs: ['batch', 9] }, outputs: { actions: ['batch', 3] } })
const contract = derivedContract(face, answers.obs)
const manifest = {
  policy_format: 'torchscript',
  policy_type: 'ppo',
  control_class: 'reflex',
  params: 12,
  embodiment_fingerprint: fingerprint,
  contract_fingerprint: contractFingerprint(contract),
  contract,
}
const checkpoint = (changes: object = {}) => ({
  'step_5/manifest.json': { ...manifest, ...changes },
  'step_5/policy/weights.pt': 'weights',
})

describe('a stamped policy', () => {
  it('matches by the fingerprint of the card as it was put, whatever a read of the card adds', async () => {
    const given = { end_effectors: [{ name: 'gripper' }, { name: 'tool', in_mjcf: true }] }
    const read = { end_effectors: given.end_effectors.map((effector) => ({ ...effector, site: null, in_mjcf: true })) }
    const own = interfaceFingerprint({ ...face, ...given }) ?? ''
    const policy = checkpoint({ embodiment_fingerprint: own })
    const result = await check(policy, 'step_5', { robotCard: robotCard(read, given) })
    expect(result.verdicts['embodiment.fingerprint']).toBe('pass match')
    expect(result.intake).toMatchObject({ embodiment: 'match', robot_fingerprint: own })
    expect(result.report).toMatchObject({ interface_fingerprint: own })
  })

  it('matches the robot that it was made for', async () => {
    const result = await check(checkpoint(), 'step_5')
    expect(result.verdicts).toEqual({
      'manifest.stamped': 'pass stamped',
      'onnx.shapes': 'skip',
      'contract.joint_order': 'pass match',
      'contract.action': 'pass match',
      'contract.rate': 'pass match',
      'contract.observation': 'pass match',
      'embodiment.fingerprint': 'pass match',
    })
    expect(result.report).toMatchObject({ ok: true, grade: 'pass', interface_fingerprint: fingerprint })
    expect(result.intake).toMatchObject({
      policy_path: 'step_5',
      policy_format: 'torchscript',
      policy_type: 'ppo',
      embodiment: 'match',
      stamped_by_check: false,
      differing: [],
      control_class: 'reflex',
      embodiment_fingerprint: fingerprint,
      robot_fingerprint: fingerprint,
      params: 12,
      source: null,
    })
    expect(result.needs).toEqual([])
  })

  it('names every field in which the robot differs, and publishes nothing', async () => {
    const changed = robotCard({
      joint_order: ['knee', 'hip', 'ankle'],
      control_rate_hz: 100,
      action: { semantics: 'position_offset', scale: 0.5 },
    })
    const result = await check(checkpoint(), 'step_5', { robotCard: changed })
    expect(result.intake.embodiment).toBe('mismatch')
    expect(result.intake.differing).toEqual([
      { field: 'embodiment_fingerprint', policy: fingerprint, robot: result.intake.robot_fingerprint },
      { field: 'joint_order', policy: face.joint_order, robot: ['knee', 'hip', 'ankle'] },
      { field: 'action.scale', policy: 0.25, robot: 0.5 },
      { field: 'control_rate_hz', policy: 50, robot: 100 },
    ])
    expect(result.verdicts).toMatchObject({
      'contract.joint_order': 'fail mismatch',
      'contract.action': 'fail mismatch',
      'contract.rate': 'fail mismatch',
      'embodiment.fingerprint': 'fail mismatch',
    })
    expect(result.report.ok).toBe(false)
    expect(result.artifacts).toEqual([])
  })

  it('mismatches by its fingerprint alone if the contract does not contain the change', async () => {
    const changed = robotCard({ safety: { soft_limit_factor: 0.9, safe_stop: 'hold' } })
    const result = await check(checkpoint(), 'step_5', { robotCard: changed })
    expect(result.intake).toMatchObject({ embodiment: 'mismatch', differing: [{ field: 'embodiment_fingerprint' }] })
    expect(result.verdicts).toMatchObject({
      'contract.action': 'pass match',
      'embodiment.fingerprint': 'fail mismatch',
    })
  })

  it('mismatches if its fingerprint is right and its contract is not', async () => {
    const result = await check(checkpoint({ contract: { ...contract, control_rate_hz: 25 } }), 'step_5')
    expect(result.intake).toMatchObject({
      embodiment: 'mismatch',
      differing: [{ field: 'control_rate_hz', policy: 25, robot: 50 }],
    })
    expect(result.verdicts['manifest.stamped']).toBe('warn stamped')
  })

  it('is never called a match without a robot to compare it with', async () => {
    const result = await check(checkpoint(), 'step_5', { robotCard: null })
    expect(result.intake).toMatchObject({
      embodiment: 'mismatch',
      differing: [{ field: 'embodiment_fingerprint', policy: fingerprint, robot: null }],
      robot_fingerprint: null,
    })
    expect(result.verdicts['embodiment.fingerprint']).toBe('skip stamped')
    expect(result.report.ok).toBe(true)
  })

  it.each([
    ['contract.json beside it', { 'contract.json': { embodiment_fingerprint: fingerprint } }, fits],
    [
      'its own metadata',
      {},
      onnx({
        inputs: { obs: [1, 9] },
        outputs: { a: [1, 3] },
        metadata: { embodiment_fingerprint: fingerprint, contract: JSON.stringify(contract) },
      }),
    ],
  ])('may be an ONNX file that %s stamps', async (_, files, model) => {
    const result = await check({ ...files, 'walk.onnx': model }, 'walk.onnx')
    expect(result.intake).toMatchObject({ embodiment: 'match', policy_format: 'onnx', params: 576 })
  })

  it('does not fit a robot with a different number of joints than its contract', async () => {
    const stamp = { embodiment_fingerprint: fingerprint, contract }
    const wrong = onnx({ inputs: { obs: ['batch', 10] }, outputs: { actions: ['batch', 4] } })
    const result = await check({ 'contract.json': stamp, 'walk.onnx': wrong }, 'walk.onnx')
    expect(result.verdicts['onnx.shapes']).toBe('fail mismatch')
    expect(result.report.checks.find(({ code }) => code === 'onnx.shapes')?.names).toEqual(['actions', 'obs'])
  })

  it('may take several past steps as input, and output several future steps', async () => {
    const chunked = onnx({
      inputs: { obs: ['batch', 27], h: [1, 64] },
      outputs: { actions: ['batch', 16, 3], h_out: [1, 64] },
    })
    const result = await check(
      { 'contract.json': { embodiment_fingerprint: fingerprint, contract }, 'walk.onnx': chunked },
      'walk.onnx',
    )
    expect(result.verdicts['onnx.shapes']).toBe('pass match')
  })
})

describe('an unstamped policy', () => {
  it('gets its contract from the interface and the answers', async () => {
    const result = await check({ 'export/walk.onnx': fits }, 'export/walk.onnx', { request: answers })
    expect(result.verdicts).toEqual({
      'manifest.stamped': 'pass derived',
      'onnx.shapes': 'pass match',
      'contract.joint_order': 'pass derived',
      'contract.action': 'pass derived',
      'contract.rate': 'pass derived',
      'contract.observation': 'pass match',
      'embodiment.fingerprint': 'pass derived',
    })
    expect(result.intake).toMatchObject({
      embodiment: 'unstamped',
      stamped_by_check: true,
      embodiment_fingerprint: fingerprint,
    })
    expect(result.artifacts.map(({ name }) => name)).toEqual(['manifest.json', 'walk.onnx'])
    const [stamped] = result.artifacts
    expect(stamped && 'text' in stamped && JSON.parse(stamped.text)).toEqual({
      policy_format: 'onnx',
      policy_type: null,
      control_class: 'reflex',
      params: 576,
      contract_fingerprint: contractFingerprint(contract),
      embodiment_fingerprint: fingerprint,
      contract: JSON.parse(JSON.stringify(contract)),
    })
  })

  it('is stamped and matches when the result is checked again', async () => {
    const first = await check({ 'walk.onnx': fits }, 'walk.onnx', { request: answers })
    const [stamped] = first.artifacts
    const text = stamped && 'text' in stamped ? stamped.text : ''
    const again = await check({ 'walk.onnx': fits, 'manifest.json': text }, 'walk.onnx')
    expect(again.intake).toMatchObject({ embodiment: 'match', stamped_by_check: false })
  })

  it.each([
    ['model.obs', { control_class: 'reflex' }, undefined],
    ['model.control_class', { obs: answers.obs }, undefined],
    ['robot_repo', answers, null],
  ] as const)('needs %s', async (field, request, card) => {
    const result = await check({ 'walk.onnx': fits }, 'walk.onnx', {
      request,
      ...(card === null && { robotCard: null }),
    })
    expect(result.needs).toMatchObject([{ field, severity: 'blocking' }])
    expect(result.intake).toMatchObject({
      embodiment: 'unstamped',
      stamped_by_check: false,
      embodiment_fingerprint: null,
    })
    expect(result.verdicts['manifest.stamped']).toBe('warn')
    expect(result.artifacts).toEqual([])
  })

  it('is not stamped for a robot whose joints it does not have', async () => {
    const result = await check(
      { 'walk.onnx': onnx({ inputs: { obs: [1, 9] }, outputs: { actions: [1, 12] } }) },
      'walk.onnx',
      { request: answers },
    )
    expect(result.verdicts['onnx.shapes']).toBe('fail mismatch')
    expect(result.report.ok).toBe(false)
    expect(result.intake).toMatchObject({ stamped_by_check: false, embodiment_fingerprint: null })
    expect(result.artifacts).toEqual([])
  })

  it('is not stamped over a contract that contradicts the robot', async () => {
    const files = checkpoint({ embodiment_fingerprint: null, contract: { joint_order: ['a', 'b', 'c'] } })
    const result = await check(files, 'step_5', { request: answers })
    expect(result.intake).toMatchObject({
      embodiment: 'unstamped',
      stamped_by_check: false,
      differing: [{ field: 'joint_order' }],
    })
    expect(result.verdicts['contract.joint_order']).toBe('fail mismatch')
  })

  it('becomes a checkpoint if it is a configuration with weights, whose sizes count', async () => {
    const config = { type: 'act', output_features: { action: { shape: [3] } } }
    const files = { 'act/config.json': config, 'act/model.safetensors': safetensors({ w: [10, 3] }) }
    const result = await check(files, 'act', { request: { ...answers, control_class: 'skill' } })
    expect(result.intake).toMatchObject({
      policy_format: 'safetensors',
      policy_type: 'act',
      params: 30,
      stamped_by_check: true,
    })
    expect(result.verdicts['onnx.shapes']).toBe('pass match')
    expect(result.artifacts.map(({ name }) => name)).toEqual([
      'manifest.json',
      'policy/config.json',
      'policy/model.safetensors',
    ])
  })

  it('warns of observation terms that the robot does not declare', async () => {
    const obs = { blocks: ['joint_pos', 'base_lin_vel', 'velocity_command', 'last_action'] }
    const result = await check({ 'walk.onnx': onnx({ outputs: { actions: [1, 3] } }) }, 'walk.onnx', {
      request: { ...answers, obs },
    })
    const found = result.report.checks.find(({ code }) => code === 'contract.observation')
    expect(found).toMatchObject({ status: 'warn', names: ['base_lin_vel'], data: { verdict: 'mismatch' } })
  })
})

it('digests a checkpoint over the sorted lines of path and digest of what is published', async () => {
  const result = await check(checkpoint(), 'step_5')
  const [stamped] = result.artifacts
  const sha256 = (text: string) => createHash('sha256').update(text).digest('hex')
  const manifestText = stamped && 'text' in stamped ? stamped.text : ''
  const lines = `manifest.json ${sha256(manifestText)}\npolicy/weights.pt ${sha256('weights')}\n`
  expect(result.draft.model).toMatchObject({ sha256: sha256(lines), files: 1, bytes: 7 })
})

it('leaves out files too large for an artifact, with a blocking need, or with advice if the draft replaces them', async () => {
  const limits = { ...modelLimits, artifactBytes: 100 }
  const elsewhere = await check({ 'export/walk.onnx': fits }, 'export/walk.onnx', { request: answers, limits })
  expect(elsewhere.needs).toMatchObject([{ field: 'entry', severity: 'blocking', names: ['export/walk.onnx'] }])
  expect(elsewhere.artifacts.map(({ name }) => name)).toEqual(['manifest.json'])
  const inPlace = await check({ 'walk.onnx': fits }, 'walk.onnx', { request: answers, limits })
  expect(inPlace.needs).toMatchObject([{ severity: 'advice', names: ['walk.onnx'] }])
})

it.each([
  ['a broken ONNX file', { 'p.onnx': fits.subarray(0, 60) }, 'p.onnx', /p.onnx: It ends in the middle/],
  ['a manifest that is not JSON', { 'c/manifest.json': '{', 'c/policy/w.pt': 'w' }, 'c', /manifest.json is not JSON/],
  ['a manifest that is a list', { 'c/manifest.json': '[]', 'c/policy/w.pt': 'w' }, 'c', /not a JSON object/],
  ['a manifest of megabytes', { 'c/manifest.json': ' '.repeat(2 ** 20 + 1), 'c/policy/w.pt': 'w' }, 'c', /over 1 MiB/],
  [
    'a manifest that is nested too deep',
    { 'c/manifest.json': `{"contract":{"a":${'['.repeat(200_000)}${']'.repeat(200_000)}}}`, 'c/policy/w.pt': 'w' },
    'c',
    /c\/manifest.json/,
  ],
  [
    'a manifest with a NUL, which no report can keep',
    { 'c/manifest.json': { contract: { a: '\0' } }, 'c/policy/w.pt': 'w' },
    'c',
    /c\/manifest.json/,
  ],
  ['a directory without a policy', { 'c/readme.md': 'x' }, 'c', /neither an ONNX file nor/],
  ['weights beside the model that are missing', { 'p.onnx': onnxWithData() }, 'p.onnx', /"p.data", which is not there/],
])('fails with a reason for %s', async (_, files, entry, reason) => {
  const result = await check(files, entry, { request: answers })
  expect(result.report).toMatchObject({ ok: false, grade: 'fail' })
  expect(result.report.checks.find(({ status }) => status === 'fail')?.message).toMatch(reason)
  expect(result.intake).toMatchObject({ embodiment: 'unstamped', policy_path: null })
  expect(result.artifacts).toEqual([])
})

it('names the members of a manifest that cannot be used', async () => {
  const result = await check(checkpoint({ control_class: 'wild', embodiment_fingerprint: 'abc' }), 'step_5', {
    request: answers,
  })
  const found = result.report.checks.find(({ code }) => code === 'manifest.stamped')
  expect(found?.status).toBe('warn')
  expect(found?.message).toMatch(/control_class must be reflex.*embodiment_fingerprint must be 64/)
})

it('publishes external weights of an ONNX file beside it', async () => {
  const result = await check({ 'p.onnx': onnxWithData(), 'p.data': 'weights' }, 'p.onnx', { request: answers })
  expect(result.artifacts.map(({ name }) => name)).toEqual(['manifest.json', 'policy/p.data', 'policy/p.onnx'])
})

function onnxWithData(): Buffer {
  return onnx({ inputs: { obs: [1, 9] }, outputs: { actions: [1, 3] }, weights: [externalWeight('p.data')] })
}

it('reads no contract from metadata that is nested too deep, and truncates long notes', async () => {
  const metadata = { contract: `{"a":${'['.repeat(200_000)}${']'.repeat(200_000)}}`, note: `\0${'x'.repeat(5000)}` }
  const result = await check({ 'p.onnx': onnx({ metadata }) }, 'p.onnx')
  const found = result.report.checks.find(({ code }) => code === 'manifest.stamped')
  expect(found?.message).toMatch(/contract must be an object/)
  expect(result.intake.graph?.metadata).toMatchObject({ note: `\ufffd${'x'.repeat(999)}` })
})
