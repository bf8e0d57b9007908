/**
 * A view that stays next to a robot that walks, drives or flies off: camera, lamps and ground go with it over the
 * ground, the camera alone goes up and down. Pure.
 */

/** How far the view has to move, in sizes of the robot. */
export interface Followed {
  readonly x: number
  readonly y: number
  readonly z: number
}

export interface Follower {
  /** Whether the view goes along; it catches up where it did not for a while. */
  follow(isFollowing: boolean): void
  /** How far the view has to move for the robot to stay in it, once the bodies are there. */
  gone(frames: ArrayLike<number>): Followed
}

/** Of a robot's size, up and down: steps and breathing do not move the view, a flight does. */
const LEVEL = 0.25

const still: Followed = { x: 0, y: 0, z: 0 }

/** Of a body in sizes of the robot: its places times `scale`. Nothing moves at the first call, and for no body. */
export function follower(body: number | null, scale: number): Follower {
  let isFollowing = true
  /** The place of the body for which the view is right. */
  let right: Followed | null = null
  return {
    follow(next) {
      isFollowing = next
    },
    gone(frames) {
      if (body === null) return still
      const at = (axis: number) => (frames[7 * body + axis] ?? 0) * scale
      const now = { x: at(0), y: at(1), z: at(2) }
      right ??= now
      if (!isFollowing) return still
      const up = now.z - right.z
      const moved = { x: now.x - right.x, y: now.y - right.y, z: up - Math.max(-LEVEL, Math.min(LEVEL, up)) }
      right = { x: now.x, y: now.y, z: right.z + moved.z }
      return moved
    },
  }
}
