/** What a load has sent and been answered. */

/** Answers that a fault may have: the hub, its database or its store cannot serve now, or the request came too early. */
const documented = new Set([429, 502, 503])

export class Tally {
  sent = 0
  acknowledged = 0
  noAnswer = 0
  longestMs = 0
  longestWhat = ''
  /** How many answers of each kind were no acknowledgement: `503 /problems/unavailable`. */
  readonly refused = new Map<string, number>()
  /** Answers that no fault explains, the first ones. */
  readonly unexpected: string[] = []

  answered(what: string, status: number, type: string, tookMs: number): void {
    this.took(what, tookMs)
    if (status < 400) this.acknowledged += 1
    else this.refuse(`${status} ${type.replace('/problems/', '')}`)
    if (status >= 500 && !documented.has(status)) this.unexplained(`${what}: ${status} ${type}`)
  }

  unanswered(what: string, tookMs: number): void {
    this.took(what, tookMs)
    this.noAnswer += 1
  }

  unexplained(what: string): void {
    if (this.unexpected.length < 20) this.unexpected.push(what)
  }

  private took(what: string, ms: number): void {
    if (ms <= this.longestMs) return
    this.longestMs = ms
    this.longestWhat = what
  }

  private refuse(kind: string): void {
    this.refused.set(kind, (this.refused.get(kind) ?? 0) + 1)
  }
}
