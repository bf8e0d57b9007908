/**
 * A robot with a camera on its arm, and a policy that turns the arm to the red ball that the camera sees: what it does
 * comes from its pictures alone.
 */
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { openReadingPool } from '@hub/mjcf/processes/reading-pool'
import { calm } from '../../src/loop/calm.ts'
import { policyIn, robotIn } from '../../src/processes/prepare.ts'
import type { RolloutJob } from '../../src/processes/protocol.ts'
import { readTask } from '../../src/task-schema.ts'
import { armCard, convolving, EYE, weighing } from './seeing-arm.ts'

const SIDE = 32

/** The ball stands 0.3 rad to the left of where the arm points at 0. `ball`: its opacity. `camera`: name of its camera. */
const robot = (ball: number, camera: string) => `<mujoco model="seeker"><worldbody>
  <geom type="sphere" pos="1.911 .591 1" size=".4" rgba="1 0 0 ${ball}" contype="0" conaffinity="0"/>
  <body name="arm" pos="0 0 1"><joint name="pivot" axis="0 0 1" damping="1"/>
    <geom type="capsule" fromto="0 0 0 -.3 0 0" size=".03" mass="1" rgba="0 0 1 1"/>
    <camera name="${camera}" xyaxes="0 -1 0 0 0 1" fovy="90"/></body>
</worldbody><actuator><motor name="pivot" joint="pivot"/></actuator></mujoco>`

/** `side`: of the picture, in pixels. */
const contract = (side: number) => ({
  joint_order: ['pivot'],
  action: { semantics: 'torque', scale: 1 },
  control_rate_hz: 10,
  cameras: [{ name: 'eye', input: EYE, width: side, height: side, scale: 1 / 255 }],
})

/** It starts where the ball is seen, and never where it has to come to. */
const task = {
  ...{ version: 1, name: 'seek', seconds: 4, start: { positions: { pivot: [-0.3, 0.1] } } },
  success: { condition: { joint: 'pivot', position: [0.2, 0.4] }, hold_s: 0.5 },
}

/** How far a column is to the left of the middle: 1 at the left edge, and -1 at the right one. */
const toTheLeft = (column: number, columns: number) => 1 - (2 * column) / (columns - 1)

/** The red of each pixel, times how far it is to the left of the middle. */
const plain = () =>
  weighing(
    SIDE,
    Float32Array.from({ length: 3 * SIDE * SIDE }, (_, place) =>
      place < SIDE * SIDE ? 0.2 * toTheLeft(place % SIDE, SIDE) : 0,
    ),
  )

/** Of a picture of the size that policies of arms are trained with. */
const DEEP_SIDE = 96
/** Red of one place of the last map is that of as many pixels of the plain one. */
const deep = () => convolving(DEEP_SIDE, (column, columns) => 0.2 * (SIDE / columns) ** 2 * toTheLeft(column, columns))

/** The files of both, as they stand in repos; the card of the robot is put beside them. */
export const seeker = {
  card: armCard,
  task,
  robot: (ball = 1, camera = 'eye') => ({ 'robot.xml': Buffer.from(robot(ball, camera)) }),
  /** `isDeep`: of layers of convolutions, and a larger picture. */
  policy: (isDeep = false) => ({
    'policy.onnx': isDeep ? deep() : plain(),
    'contract.json': Buffer.from(JSON.stringify({ contract: contract(isDeep ? DEEP_SIDE : SIDE) })),
    'task.json': Buffer.from(JSON.stringify(task)),
  }),
}

interface SeekerChange {
  /** Opacity of the ball. */
  readonly ball?: number
  readonly isDeep?: boolean
}

/** Both as folders, `robot` and `policy`. */
async function seekerFolders(
  folder: string,
  { ball = 1, isDeep = false }: SeekerChange,
): Promise<{ robot: string; policy: string }> {
  const parts = {
    robot: { ...seeker.robot(ball), 'robot_card.json': Buffer.from(JSON.stringify(armCard)) },
    policy: seeker.policy(isDeep),
  }
  for (const [name, files] of Object.entries(parts)) {
    await mkdir(join(folder, name), { recursive: true })
    for (const [path, bytes] of Object.entries(files)) await writeFile(join(folder, name, path), bytes)
  }
  return { robot: join(folder, 'robot'), policy: join(folder, 'policy') }
}

/** The job of both for processes. */
export async function seekerJob(folder: string, change: SeekerChange = {}): Promise<RolloutJob> {
  const folders = await seekerFolders(folder, change)
  const pool = openReadingPool({ processes: 1 })
  try {
    const signal = new AbortController().signal
    const { fingerprint: _, ...body } = await robotIn(folders.robot, JSON.stringify(armCard), pool, signal)
    const { file, contract: said } = await policyIn(folders.policy, null)
    return { ...body, policy: file, contract: said, map: null, task: readTask(task), disturbance: calm, cameras: {} }
  } finally {
    await pool.close()
  }
}
