/** What the address of rollouts in 3D names. Pure. */
import { readAddress } from '../../../episodes/episode-address.ts'

export interface MotionAddress {
  /** Of one result or two, as `resultName` has them; none for the boards. */
  readonly names: readonly string[]
  readonly seed: number
  /** Where a recorded one begins, and how fast it plays. */
  readonly frame: number
  readonly speed: number
}

/** What is absent or broken is as in an address without it. */
export function readMotionAddress(search: string): MotionAddress {
  const query = new URLSearchParams(search)
  const names = [query.get('one'), query.get('other')].filter((name) => name !== null)
  const seed = Math.max(0, Math.trunc(Number(query.get('seed'))) || 0)
  const { frame, speed } = readAddress(search)
  return { names, seed, frame, speed }
}
