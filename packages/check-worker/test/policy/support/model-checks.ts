/** Folders with policies, and model checks of them against a robot of three joints. */
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { interfaceFingerprint } from '@hub/robot-card/fingerprint'
import { afterAll } from 'vitest'
import { checkModel, type ModelCheck, type ModelCheckResult } from '../../../src/policy/check-model.ts'

export const face = {
  version: 1,
  base: 'fixed',
  joint_order: ['hip', 'knee', 'ankle'],
  default_pose: { hip: 0.1, knee: -0.2, ankle: 0 },
  control_rate_hz: 50,
  actuation: [{ joints: ['hip', 'knee', 'ankle'], mode: 'position', kp: 20, kd: 0.5 }],
  action: { semantics: 'position_offset', scale: 0.25 },
  proprioception: ['joint_pos', 'joint_vel', 'projected_gravity'],
}

/** As the hub returns it. */
export const robotCard = (changes: object = {}, hashed: object = changes) =>
  JSON.stringify({
    dof: 3,
    actuators: [],
    interface: { ...face, ...changes },
    interface_fingerprint: interfaceFingerprint({ ...face, ...hashed } as typeof face),
    updated_at: '2026-01-31T09:30:00.000Z',
  })

export const fingerprint = interfaceFingerprint(face) ?? ''

/** A person's answers for an unstamped policy. */
export const answers = { control_class: 'reflex', obs: { blocks: ['joint_pos', 'joint_vel', 'last_action'] } } as const

export interface Checked extends ModelCheckResult {
  /** `status` or `status verdict` by code. */
  readonly verdicts: Readonly<Record<string, string>>
}

export function modelChecks() {
  const made: string[] = []
  afterAll(async () => {
    for (const folder of made) await rm(folder, { recursive: true, force: true })
  })
  const folderOf = async (files: Readonly<Record<string, string | Buffer | object>>): Promise<string> => {
    const folder = await mkdtemp(join(tmpdir(), 'hub-model-check-'))
    made.push(folder)
    for (const [path, content] of Object.entries(files)) {
      await mkdir(dirname(join(folder, path)), { recursive: true })
      const isText = typeof content === 'string' || Buffer.isBuffer(content)
      await writeFile(join(folder, path), isText ? content : JSON.stringify(content))
    }
    return folder
  }
  return {
    folderOf,
    async check(
      files: Readonly<Record<string, string | Buffer | object>>,
      entry: string | null,
      given: Partial<ModelCheck> = {},
    ): Promise<Checked> {
      const result = await checkModel({
        folder: await folderOf(files),
        entry,
        request: {},
        robotCard: robotCard(),
        mirror: null,
        log: () => {},
        signal: new AbortController().signal,
        ...given,
      })
      const verdicts = result.report.checks.map(({ code, status, data }) => [
        code,
        [status, data?.verdict].filter(Boolean).join(' '),
      ])
      return { ...result, verdicts: Object.fromEntries(verdicts) }
    },
  }
}
