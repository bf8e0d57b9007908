/** Where a free view is, in the query of an address. Pure. */
import type { Viewpoint } from '@hub/robot-view/scene/orbit-view'

/** Six numbers, to a millimetre. */
export const viewpointText = (view: Viewpoint): string => view.map((part) => Number(part.toFixed(3))).join(',')

/** Null for what is no viewpoint. */
export function readViewpoint(text: string | null): Viewpoint | null {
  const parts = numbersIn(text)
  const [a, b, c, d, e, f] = parts
  if (parts.length !== 6 || !parts.every(Number.isFinite)) return null
  return [a ?? 0, b ?? 0, c ?? 0, d ?? 0, e ?? 0, f ?? 0]
}

/** Numbers with a comma between; NaN for a part that is none. */
export const numbersIn = (text: string | null): readonly number[] =>
  (text ?? '').split(',').map((part) => (part === '' ? Number.NaN : Number(part)))

/** `now`, if it is another one than `home`, which a model is shown from first. */
export const turnedFrom = (home: Viewpoint, now: Viewpoint): Viewpoint | null =>
  now.some((part, at) => Math.abs(part - (home[at] ?? 0)) > 1e-3) ? now : null
