import type { JointType } from '../reading.ts'

/** Numbers in `qpos` for a joint. */
export const POSITIONS: Readonly<Record<JointType, number>> = { hinge: 1, slide: 1, ball: 4, free: 7 }

/** Degrees of freedom of a joint, which are its numbers in `qvel`. */
export const VELOCITIES: Readonly<Record<JointType, number>> = { hinge: 1, slide: 1, ball: 3, free: 6 }
