/** The result of a fault as a row of a table. */
import type { Fault } from './fault.ts'
import type { FaultResult } from './run-fault.ts'

export const faultHeading = `| fault | requests | acknowledged | refused | no answer | longest answer during it | recovered after | recounted | lost | twice |
|---|---|---|---|---|---|---|---|---|---|`

export function faultRow({ title }: Fault, { during, after, recoveryMs, findings }: FaultResult): string {
  const refused = new Map(during.refused)
  for (const [kind, count] of after.refused) refused.set(kind, (refused.get(kind) ?? 0) + count)
  const counted = [...findings.counted.values()].reduce((sum, count) => sum + count, 0)
  const cells = [
    title,
    during.sent + after.sent,
    during.acknowledged + after.acknowledged,
    [...refused].map(([kind, count]) => `${kind}: ${count}`).join(', ') || 'none',
    during.noAnswer + after.noAnswer,
    `${(during.longestMs / 1000).toFixed(1)} s`,
    `${(recoveryMs / 1000).toFixed(1)} s`,
    `${counted} things`,
    findings.lost.length,
    findings.twice.length,
  ]
  return `| ${cells.join(' | ')} |`
}

/** What is wrong, a line each. */
export function faultProblems({ during, after, findings }: FaultResult): string[] {
  return [
    ...[...during.unexpected, ...after.unexpected].map((what) => `  unexpected: ${what}`),
    ...findings.lost.slice(0, 20).map((what) => `  lost: ${what}`),
    ...findings.twice.slice(0, 20).map((what) => `  twice: ${what}`),
    `  longest: ${during.longestMs.toFixed(0)} ms, ${during.longestWhat}`,
  ]
}
