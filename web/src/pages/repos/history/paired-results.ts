/** The results of two versions by what they can be compared under. Pure. */

interface Result {
  readonly id: string
  readonly robot: string
  readonly fingerprint: string
  readonly task: string
  readonly seeds: number
}

/** What both versions have on one robot under the same conditions. */
export interface PairedResults<Row> {
  readonly key: string
  readonly robot: string
  readonly task: string
  /** Of each version the one with most seeds, the newest of equals. */
  readonly from: Row | null
  readonly to: Row | null
}

/** Both lists are newest first. What both versions have comes first, then by robot and task. */
export function pairedResults<Row extends Result>(from: readonly Row[], to: readonly Row[]): PairedResults<Row>[] {
  const keyOf = ({ robot, fingerprint }: Result) => `${robot} ${fingerprint}`
  const [ofFrom, ofTo] = [Map.groupBy(from, keyOf), Map.groupBy(to, keyOf)]
  const pairs = [...new Set([...ofFrom.keys(), ...ofTo.keys()])].flatMap((key) => {
    const [one, other] = [mostSeeds(ofFrom.get(key)), mostSeeds(ofTo.get(key))]
    const any = one ?? other
    return any ? [{ key, robot: any.robot, task: any.task, from: one, to: other }] : []
  })
  const isHalf = (pair: PairedResults<Row>) => Number(pair.from === null || pair.to === null)
  return pairs.sort(
    (one, other) =>
      isHalf(one) - isHalf(other) || one.robot.localeCompare(other.robot) || one.task.localeCompare(other.task),
  )
}

const mostSeeds = <Row extends Result>(rows: readonly Row[] = []): Row | null =>
  rows.reduce<Row | null>((best, row) => (best === null || row.seeds > best.seeds ? row : best), null)

interface Bounds {
  readonly lowest: number
  readonly highest: number
}

/** What two intervals of 95 % say of the second rate. */
export function verdictOf(from: Bounds, to: Bounds): 'better' | 'worse' | 'open' {
  if (to.lowest > from.highest) return 'better'
  return to.highest < from.lowest ? 'worse' : 'open'
}
