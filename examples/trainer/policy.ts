/** A policy with one hidden layer. Parameters in one flat array: three input weights and a bias per hidden unit, then the output weights. */
import { EPISODE_STEPS, fromUpright, MAX_TORQUE, type Pendulum, step } from './pendulum.ts'

export const parameterCount = (hidden: number): number => 5 * hidden + 1

/** The torque chosen by the policy. */
export function act(parameters: Float64Array, hidden: number, pendulum: Pendulum): number {
  const [cos, sin, speed] = [Math.cos(pendulum.angle), Math.sin(pendulum.angle), pendulum.speed / 4]
  let sum = parameters[5 * hidden] as number
  for (let unit = 0; unit < hidden; unit += 1) {
    const at = 5 * unit
    const [a, b, c, bias, out] = [at, at + 1, at + 2, at + 3, at + 4]
    const into =
      (parameters[a] as number) * cos +
      (parameters[b] as number) * sin +
      (parameters[c] as number) * speed +
      (parameters[bias] as number)
    sum += (parameters[out] as number) * Math.tanh(into)
  }
  return MAX_TORQUE * Math.tanh(sum)
}

export interface Episode {
  /** The sum of the rewards. */
  readonly reward: number
  /** The largest angle from upright in the last second. */
  readonly lastOff: number
}

/** One episode from a given initial state. */
export function play(parameters: Float64Array, hidden: number, start: Readonly<Pendulum>): Episode {
  const pendulum = { ...start }
  let reward = 0
  let lastOff = 0
  for (let at = 0; at < EPISODE_STEPS; at += 1) {
    reward += step(pendulum, act(parameters, hidden, pendulum))
    if (at >= EPISODE_STEPS - 20) lastOff = Math.max(lastOff, Math.abs(fromUpright(pendulum)))
  }
  return { reward, lastOff }
}
