import type { ModelReading } from '@hub/mjcf/reading'
import type { RobotCardDocument } from '../../src/card-schema.ts'
import type { EmbodimentInterface } from '../../src/interface-schema.ts'

/** A two-joint arm with nothing wrong. */
export const goodInterface = (change: Record<string, unknown> = {}): EmbodimentInterface => ({
  version: 1,
  base: 'fixed',
  joint_order: ['shoulder', 'elbow'],
  control_rate_hz: 50,
  actuation: [{ joints: ['shoulder', 'elbow'], mode: 'position', kp: 20 }],
  action: { semantics: 'position', scale: 0.5 },
  proprioception: ['joint_pos'],
  parts: [{ name: 'arm', kind: 'arm', joints: ['shoulder', 'elbow'] }],
  end_effectors: [{ name: 'gripper', site: 'tip', in_mjcf: true }],
  feet: [],
  cameras: [],
  command_space: { kind: 'none' },
  safety: { soft_limit_factor: 0.9, safe_stop: 'hold' },
  ...change,
})

export const goodCard = (change: Record<string, unknown> = {}): RobotCardDocument => ({
  dof: 2,
  actuators: [{ name: 'm', volts: 12 }],
  mjcf_path: 'arm.xml',
  interface: goodInterface(),
  ...change,
})

/** The model of that arm. */
export const armReading = (change: Partial<ModelReading> = {}): ModelReading => ({
  entry: 'arm.xml',
  format: 'mjcf',
  model: 'arm',
  joints: [
    { name: 'shoulder', type: 'hinge', root: 0 },
    { name: 'elbow', type: 'slide', root: 0 },
    { name: 'ball', type: 'ball', root: 0 },
    { name: null, type: 'hinge', root: 0 },
  ],
  roots: [{ name: 'base', floating: false }],
  base: 'fixed',
  keyframes: ['home', null],
  names: { bodies: ['base', 'hand'], sites: ['tip'], cameras: ['wrist_cam'], actuators: ['shoulder_motor'] },
  sizes: { nq: 7, nv: 6, nu: 1, na: 0 },
  files: ['arm.xml', 'meshes/hand.stl'],
  missing: [],
  faults: [],
  warnings: [],
  undecided: [],
  asked: [],
  ...change,
})
