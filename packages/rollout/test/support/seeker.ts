/**
 * A robot with a camera on its arm, and a policy that turns the arm to the red ball that the camera sees: what it does
 * comes from its pictures alone.
 */
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { openReadingPool } from '@hub/mjcf/processes/reading-pool'
import { field, onnx, varint } from '../../../formats/test/policy/policy-files.ts'
import { calm } from '../../src/loop/calm.ts'
import { policyIn, robotIn } from '../../src/processes/prepare.ts'
import type { RolloutJob } from '../../src/processes/protocol.ts'
import { readTask } from '../../src/task-schema.ts'

const SIDE = 32

/** The ball stands 0.3 rad to the left of where the arm points at 0. `ball`: its opacity. `camera`: name of its camera. */
const robot = (ball: number, camera: string) => `<mujoco model="seeker"><worldbody>
  <geom type="sphere" pos="1.911 .591 1" size=".4" rgba="1 0 0 ${ball}" contype="0" conaffinity="0"/>
  <body name="arm" pos="0 0 1"><joint name="pivot" axis="0 0 1" damping="1"/>
    <geom type="capsule" fromto="0 0 0 -.3 0 0" size=".03" mass="1" rgba="0 0 1 1"/>
    <camera name="${camera}" xyaxes="0 -1 0 0 0 1" fovy="90"/></body>
</worldbody><actuator><motor name="pivot" joint="pivot"/></actuator></mujoco>`

const card = {
  dof: 1,
  actuators: [{ name: 'pivot', joints: ['pivot'], mode: 'torque' }],
  mjcf_path: 'robot.xml',
  interface: {
    ...{ version: 1, base: 'fixed', joint_order: ['pivot'], control_rate_hz: 10 },
    actuation: [{ joints: ['pivot'], mode: 'torque' }],
    action: { semantics: 'torque', scale: 1 },
  },
}

const contract = {
  joint_order: ['pivot'],
  action: { semantics: 'torque', scale: 1 },
  control_rate_hz: 10,
  cameras: [{ name: 'eye', input: 'observation.images.eye', width: SIDE, height: SIDE, scale: 1 / 255 }],
}

/** It starts where the ball is seen, and never where it has to come to. */
const task = {
  ...{ version: 1, name: 'seek', seconds: 4, start: { positions: { pivot: [-0.3, 0.1] } } },
  success: { condition: { joint: 'pivot', position: [0.2, 0.4] }, hold_s: 0.5 },
}

/** The red of each pixel, times how far it is to the left of the middle. */
function policy(): Buffer {
  const weights = new Float32Array(3 * SIDE * SIDE)
  const middle = (SIDE - 1) / 2
  for (let place = 0; place < SIDE * SIDE; place += 1) weights[place] = (0.2 * (middle - (place % SIDE))) / middle
  const dims = field(1, Buffer.concat([varint(weights.length), varint(1)]))
  return onnx({
    inputs: { 'observation.images.eye': ['batch', 3, SIDE, SIDE] },
    outputs: { actions: ['batch', 1] },
    weights: [[dims, field(2, 1), field(8, 'w'), field(9, Buffer.from(weights.buffer))]],
    nodes: [
      [field(1, 'observation.images.eye'), field(2, 'flat'), field(4, 'Flatten')],
      [field(1, 'flat'), field(1, 'w'), field(2, 'actions'), field(4, 'MatMul')],
    ],
  })
}

/** The files of both, as they stand in repos; the card of the robot is put beside them. */
export const seeker = {
  card,
  task,
  robot: (ball = 1, camera = 'eye') => ({ 'robot.xml': Buffer.from(robot(ball, camera)) }),
  policy: () => ({
    'policy.onnx': policy(),
    'contract.json': Buffer.from(JSON.stringify({ contract })),
    'task.json': Buffer.from(JSON.stringify(task)),
  }),
}

/** Both as folders, `robot` and `policy`. */
async function seekerFolders(folder: string, ball = 1): Promise<{ robot: string; policy: string }> {
  const parts = {
    robot: { ...seeker.robot(ball), 'robot_card.json': Buffer.from(JSON.stringify(card)) },
    policy: seeker.policy(),
  }
  for (const [name, files] of Object.entries(parts)) {
    await mkdir(join(folder, name), { recursive: true })
    for (const [path, bytes] of Object.entries(files)) await writeFile(join(folder, name, path), bytes)
  }
  return { robot: join(folder, 'robot'), policy: join(folder, 'policy') }
}

/** The job of both for processes. */
export async function seekerJob(folder: string, ball = 1): Promise<RolloutJob> {
  const folders = await seekerFolders(folder, ball)
  const pool = openReadingPool({ processes: 1 })
  try {
    const signal = new AbortController().signal
    const { fingerprint: _, ...body } = await robotIn(folders.robot, JSON.stringify(card), pool, signal)
    const { file, contract: said } = await policyIn(folders.policy, null)
    return { ...body, policy: file, contract: said, map: null, task: readTask(task), disturbance: calm, cameras: {} }
  } finally {
    await pool.close()
  }
}
