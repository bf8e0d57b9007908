/**
 * A view that stays next to a robot that walks or flies off: camera, lamps and ground go with it, over the ground
 * alone. Pure.
 */

export interface Followed {
  readonly x: number
  readonly y: number
}

/** How far the followed body has gone since the last call, times `scale`; nothing at the first one, and for no body. */
export function follower(body: number | null, scale: number): (frames: ArrayLike<number>) => Followed {
  let before: Followed | null = null
  return (frames) => {
    if (body === null) return { x: 0, y: 0 }
    const now = { x: (frames[7 * body] ?? 0) * scale, y: (frames[7 * body + 1] ?? 0) * scale }
    const gone = { x: now.x - (before?.x ?? now.x), y: now.y - (before?.y ?? now.y) }
    before = now
    return gone
  }
}
