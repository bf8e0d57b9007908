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
      drive: null,
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

describe('the address of a drive', () => {
  const harder = { pushN: 12.5, gravity: 0, delayMs: 0, observationNoise: 0.005, actionNoise: 0 }

  it('holds the policy, its seed, what makes it harder and the chosen cameras, and no pose', () => {
    const drive = { policy: 'ada/reach:a b.onnx', seed: 7, harder, sees: { image: 'wrist & co' } }
    const written = writeRobotAddress({ ...plainRobot, pose: [1, 2], camera: 'side', drive })
    expect(readRobotAddress(written)).toEqual({ ...plainRobot, camera: 'side', drive })
    expect(readRobotAddress(`${written}&pose=1,2`).pose).toBe(null)
  })

  it('names no more than the policy and the seed where nothing else was chosen', () => {
    const drive = {
      policy: 'ada/reach',
      seed: 1,
      harder: { ...harder, pushN: 0, gravity: 1, observationNoise: 0 },
      sees: {},
    }
    expect(writeRobotAddress({ ...plainRobot, drive })).toBe('policy=ada%2Freach&seed=1')
  })

  it.each([
    'seed=-1',
    'seed=2147483648',
    'seed=x',
    'gravity=-1',
    'gravity=',
    'pushN=NaN',
    'sees={',
    'sees=[1]',
    'sees={"a":1}',
  ])('that is broken drives as by default: %s', (search) => {
    const { drive } = readRobotAddress(`policy=ada/reach&${search}`)
    expect(drive).toEqual(readRobotAddress('policy=ada/reach&seed=1').drive)
    expect(readRobotAddress(search).drive).toBe(null)
  })
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
    const asked = { model: null, pose: [0.25, 0], camera: 'wrist', view: [2, 0, 1, 0, 0, 0] as const, drive: null }
    const link = robotLink(face, shown, asked)
    expect(link.fault).toBe('')
    expect(viewer.replay).toHaveBeenCalledWith([0.25, 0], null)
    expect(viewer.lookThrough).toHaveBeenCalledWith(0)
    const { model: _, drive: _drive, ...same } = asked
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
