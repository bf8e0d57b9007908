/** The colors of lines in a chart. Pure. */

/**
 * Each has a contrast of 3 with the light and the dark surface, and any two of them a distance of 20 (CIE 1976), to
 * people of full color vision and to those who see no red or no green.
 */
export const lineColors = [
  '#3366cc',
  '#999900',
  '#337766',
  '#5599dd',
  '#886622',
  '#7744ff',
  '#779966',
  '#3399aa',
] as const

/** The color of a line, by its place; after the last one they begin again. */
export const lineColor = (place: number) => lineColors[place % lineColors.length] ?? lineColors[0]
