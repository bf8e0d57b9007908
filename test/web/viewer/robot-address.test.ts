/** The link to a robot as it is looked at: its model, pose, camera and view. */
import { describe, expect, it, vi } from 'vitest'
import { plainRobot, readRobotAddress, writeRobotAddress } from '../../../web/src/viewer/robot-address.ts'
import { robotLink } from '../../../web/src/viewer/robot-link.ts'
import type { RobotViewer } from '../../../web/src/viewer/viewer-face.ts'
import type { Ready } from '../../../web/src/viewer/viewer-state.ts'

describe('the address of a robot', () => {
  it('holds all that is looked at, and nothing that is as by default', () => {
    const address = {
      ...{ model: 'a b/scene.xml', pose: [0.123456789, -2e-7, 1], camera: 'wrist & co' },
      view: [1, 2, 3.25, -0.5, 0, 1e-3] as const,
    }
    expect(readRobotAddress(writeRobotAddress(address))).toEqual(address)
    expect(writeRobotAddress(plainRobot)).toBe('')
  })

  it.each(['pose=1,x&view=1,2', 'pose=&view=,,,,,', `pose=${'1,'.repeat(500)}1`, 'pose=NaN,Infinity'])(
    'that is broken shows the default pose: %s',
    (search) => {
      expect(readRobotAddress(search)).toEqual(plainRobot)
    },
  )
})

describe('a link to a robot', () => {
  const home = [1, 1, 1, 0, 0, 0] as const

  /** A viewer of a model of two joints and a camera, as far as a link needs it. */
  function opened() {
    const state = {
      ...{ phase: 'ready', frame: { qpos: [0, 0.5] }, camera: null as number | null },
      model: { cameras: [{ name: 'wrist' }] },
    }
    let at: readonly number[] = home
    const viewer = {
      state: () => state,
      viewpoint: () => at,
      viewFrom: vi.fn((view: readonly number[]) => {
        at = view
      }),
      lookThrough: vi.fn((camera: number | null) => {
        state.camera = camera
      }),
      replay: vi.fn((qpos: number[]) => {
        state.frame = { qpos }
      }),
    }
    return { viewer, face: viewer as unknown as RobotViewer, shown: state as unknown as Ready }
  }

  it('opens the pose, the camera and the view that it names, and links to the same again', () => {
    const { viewer, face, shown } = opened()
    const asked = { model: null, pose: [0.25, 0], camera: 'wrist', view: [2, 0, 1, 0, 0, 0] as const }
    const link = robotLink(face, shown, asked)
    expect(link.fault).toBe('')
    expect(viewer.replay).toHaveBeenCalledWith([0.25, 0], null)
    expect(viewer.lookThrough).toHaveBeenCalledWith(0)
    const { model: _, ...same } = asked
    expect(link.now()).toEqual(same)
  })

  it('of what is as it was opened has no pose and no view', () => {
    const { viewer, face, shown } = opened()
    const link = robotLink(face, shown, plainRobot)
    expect(link.now()).toEqual({ pose: null, camera: null, view: null })
    viewer.replay([0, 0.4])
    expect(link.now()).toEqual({ pose: [0, 0.4], camera: null, view: null })
  })

  it('says what of it the model does not have', () => {
    const { viewer, face, shown } = opened()
    const { fault } = robotLink(face, shown, { ...plainRobot, pose: [1, 2, 3], camera: 'no "such"' })
    expect(fault).toBe(
      'The pose of this link has 3 numbers and the model 2: the default pose is shown. ' +
        'The model has no camera "no \\"such\\"": the free view is shown.',
    )
    expect(viewer.replay).not.toHaveBeenCalled()
    expect(viewer.lookThrough).not.toHaveBeenCalled()
  })
})
