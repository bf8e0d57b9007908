/** One thing that two sides say differently, in words for a person. */
export interface Difference {
  readonly kind:
    | 'joints'
    | 'order'
    | 'sign'
    | 'offset'
    | 'scale'
    | 'unit'
    | 'limits'
    | 'pose'
    | 'rate'
    | 'action'
    | 'cameras'
    | 'base'
  /** Such as `joints.elbow` or `action.semantics`. */
  readonly place: string
  readonly source: string
  readonly robot: string
  /** The source cannot run on the robot while this holds. */
  readonly blocks: boolean
  readonly reason: string
}

/** A number as people read it; the fourth digit of a radian is a hundredth of a degree. */
export const shown = (value: number | null) => (value === null ? 'not said' : String(Number(value.toPrecision(5))))

export const shownRange = ({ lower, upper }: { readonly lower: number | null; readonly upper: number | null }) =>
  lower === null && upper === null ? 'not said' : `${shown(lower)} to ${shown(upper)}`
