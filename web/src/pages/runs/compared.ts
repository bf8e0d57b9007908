/** How many runs can be compared. Pure. */

/** A chart has a color for each. */
export const COMPARED = 8

/** Configs of the greatest length that one operation of the graph may answer. */
export const CONFIGS_AT_ONCE = 3
