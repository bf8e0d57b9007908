/**
 * A date whose local time is UTC. A ZIP has the local time of its writer (APPNOTE 4.4.6): with this one the same
 * version has the same bytes on every machine.
 */
export class UtcDate extends Date {
  override getFullYear(): number {
    return this.getUTCFullYear()
  }

  override getMonth(): number {
    return this.getUTCMonth()
  }

  override getDate(): number {
    return this.getUTCDate()
  }

  override getHours(): number {
    return this.getUTCHours()
  }

  override getMinutes(): number {
    return this.getUTCMinutes()
  }

  override getSeconds(): number {
    return this.getUTCSeconds()
  }
}
