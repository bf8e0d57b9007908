/** Whether a limit applies: explicitly, or by an ascending range. */
export function isLimited(limited: string, [from, to]: readonly [number, number]): boolean {
  return limited === 'true' || (limited === 'auto' && from < to)
}

/** Whether MuJoCo requires an explicit `…limited`: there is a range, and `autolimits` is off. */
export function needsLimited(limited: string, [from, to]: readonly [number, number], autolimits: boolean): boolean {
  return !autolimits && limited === 'auto' && !(from === 0 && to === 0)
}
