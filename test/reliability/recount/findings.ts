/** What a recount found: things that were acknowledged and are not there, and things that are there more often than they were asked for. */
export class Findings {
  readonly lost: string[] = []
  readonly twice: string[] = []
  /** How many things were counted, by their kind. */
  readonly counted = new Map<string, number>()

  count(kind: string, number: number): void {
    this.counted.set(kind, (this.counted.get(kind) ?? 0) + number)
  }

  /** What cannot be read is lost. */
  async read(what: string, reading: () => Promise<void>): Promise<void> {
    try {
      await reading()
    } catch (error) {
      this.lost.push(`${what}: ${error instanceof Error ? error.message : error}`)
    }
  }

  /** `found` of what has to be there `wanted` times. */
  compare(what: string, found: number, wanted: number): void {
    if (found < wanted) this.lost.push(`${what}: ${found} of ${wanted}`)
    if (found > wanted) this.twice.push(`${what}: ${found} for ${wanted}`)
  }
}
