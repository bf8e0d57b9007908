/**
 * Real robots through a whole check: each gets a card that the hub's own checks pass, and stands at its default pose.
 */
import { join } from 'node:path'
import { needs } from '@hub/testing/needs'
import { noRobots, sharedDir } from '@hub/testing/shared'
import { describe, expect, it } from 'vitest'
import type { RobotCheckRequest } from '../src/request.ts'
import { robotFolders } from './support/robot-folder.ts'

const shared = sharedDir()
const folderOf = (robot: string) => join(shared ?? '', 'robots', robot)

interface Robot extends Partial<RobotCheckRequest> {
  readonly folder: string
  readonly entry: string
  readonly grade: string
  readonly joints: number
  readonly face: Readonly<Record<string, unknown>>
}

const robots: readonly Robot[] = [
  {
    folder: 'trossen_wx250s',
    entry: 'scene.xml',
    grade: 'pass',
    joints: 7,
    face: { base: 'fixed', default_keyframe: 'home', physics_dt_s: 0.002 },
  },
  {
    folder: 'trs_so_arm100',
    entry: 'scene.xml',
    grade: 'pass',
    joints: 6,
    face: { base: 'fixed', default_keyframe: 'home' },
  },
  {
    folder: 'google_barkour_vb',
    entry: 'scene.xml',
    action: 'position_offset',
    options: { action_scale: 0.3 },
    grade: 'pass',
    joints: 12,
    face: { base: 'floating', init_base_height_m: 0.28, action: { semantics: 'position_offset', scale: 0.3 } },
  },
  {
    folder: 'bitcraze_crazyflie_2',
    entry: 'scene.xml',
    action: 'torque',
    grade: 'pass',
    joints: 0,
    face: { base: 'floating', default_keyframe: 'hover', joint_order: [] },
  },
  // Collision meshes of neighbouring links overlap, and a URDF excludes nothing.
  {
    folder: 'so100_urdf',
    entry: 'so100.urdf',
    base: 'fixed',
    options: { kp: 50, kd: 1 },
    grade: 'warn',
    joints: 6,
    face: {
      base: 'fixed',
      actuation: [expect.objectContaining({ kp: 50, kd: 1, effort_limit: 35, velocity_limit: 1 })],
    },
  },
]

describe('a real robot', needs(noRobots), () => {
  const { check } = robotFolders()

  it.each(robots)('$folder/$entry', async ({ folder, grade, joints, face, ...answers }) => {
    const { report, card, needs, statuses } = await check(folderOf(folder), answers)
    expect(report.checks.filter(({ status }) => status === 'fail')).toEqual([])
    expect(report).toMatchObject({ ok: true, grade, mjcf_path: answers.entry.replace('.urdf', '.xml') })
    expect(statuses).toMatchObject({ 'card.schema': 'pass', 'sim.compiles': 'pass', 'sim.stable': 'pass' })
    expect(card?.interface).toMatchObject(face)
    expect(card?.interface.joint_order).toHaveLength(joints)
    expect(needs.filter(({ severity }) => severity === 'blocking')).toEqual([])
  })

  it('whose URDF names meshes by package gets a report that names them, and no card', async () => {
    const {
      report,
      card,
      check: found,
    } = await check(folderOf('google_barkour_vb'), {
      entry: 'barkour_vb_rev_1_0_head_straight.urdf',
      base: 'floating',
    })
    expect(report.ok).toBe(false)
    expect(card).toBeNull()
    expect(found('assets.closure')).toMatchObject({
      status: 'fail',
      message: expect.stringContaining('package://assets/neck.stl'),
    })
    expect(found('sim.compiles')).toMatchObject({ status: 'fail' })
  })
})
