/** A pendulum whose motor is just strong enough to hold it level, so it has to be swung up and caught. Angle 0 is upright. */

export interface Pendulum {
  angle: number
  /** rad/s */
  speed: number
}

const GRAVITY = 10
const LENGTH = 1
const MASS = 1
const DT = 0.05
const MAX_SPEED = 8
export const MAX_TORQUE = 5
export const EPISODE_STEPS = 200

/** The angle from upright, between -pi and pi. */
export const fromUpright = ({ angle }: Pendulum): number => Math.atan2(Math.sin(angle), Math.cos(angle))

/** Advances the state one step in place; the reward is the height (1 upright) minus penalties for speed and torque. */
export function step(pendulum: Pendulum, torque: number): number {
  const { angle, speed } = pendulum
  const reward = Math.cos(angle) - 0.02 * speed * speed - 0.001 * torque * torque
  const acceleration = ((3 * GRAVITY) / (2 * LENGTH)) * Math.sin(angle) + (3 / (MASS * LENGTH * LENGTH)) * torque
  pendulum.speed = Math.min(MAX_SPEED, Math.max(-MAX_SPEED, speed + acceleration * DT))
  pendulum.angle = angle + pendulum.speed * DT
  return reward
}
