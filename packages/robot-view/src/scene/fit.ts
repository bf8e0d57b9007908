/** Where a picture of a given aspect goes in a canvas. Pure. */

export interface Place {
  readonly x: number
  readonly y: number
  readonly width: number
  readonly height: number
}

/** The largest rectangle of `aspect` (width by height) in the middle of a canvas; all of it without one. In pixels. */
export function fitted(width: number, height: number, aspect: number | null): Place {
  if (aspect === null || !(aspect > 0)) return { x: 0, y: 0, width, height }
  const wide = Math.min(width, height * aspect)
  const tall = wide / aspect
  return { x: (width - wide) / 2, y: (height - tall) / 2, width: wide, height: tall }
}

/**
 * The field of view (degrees, bottom to top) in a picture of `aspect`, so that all is seen that is seen at `framed`: a
 * narrower picture looks farther up and down.
 */
export function fieldOfViewAt(degrees: number, framed: number, aspect: number): number {
  if (aspect >= framed) return degrees
  const half = Math.tan((degrees * Math.PI) / 360)
  return (360 / Math.PI) * Math.atan((half * framed) / aspect)
}
