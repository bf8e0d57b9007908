/** How wide the axis of a chart is. Pure. */

const LEAST_PX = 56
/** Of a digit in the font of a chart, 12 px, rounded up. */
const DIGIT_PX = 8
/** Between a number and the chart. */
const GAP_PX = 16

/** The width of an axis, in px, that shows the longest of these numbers whole. */
export const axisWidth = (texts: readonly string[]): number =>
  Math.max(LEAST_PX, ...texts.map((text) => GAP_PX + DIGIT_PX * text.length))
