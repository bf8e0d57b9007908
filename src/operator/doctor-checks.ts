/** What `hub doctor` says of each part: a line with its state, what was seen, and what to do about it. */

export interface Check {
  readonly name: string
  /** `warn`: it works, and may soon not. Only `fail` makes the exit code 1. */
  readonly status: 'ok' | 'warn' | 'fail'
  readonly detail: string
  /** Null if there is nothing to do. */
  readonly fix: string | null
}

export const ok = (name: string, detail: string): Check => ({ name, status: 'ok', detail, fix: null })
export const warn = (name: string, detail: string, fix: string): Check => ({ name, status: 'warn', detail, fix })
export const fail = (name: string, detail: string, fix: string): Check => ({ name, status: 'fail', detail, fix })

/** One line for each check, and one for what to do. */
export function checksText(checks: readonly Check[]): string {
  const width = Math.max(...checks.map(({ name }) => name.length))
  const lines = checks.flatMap(({ name, status, detail, fix }) => {
    const line = `${status.padEnd(4)}  ${name.padEnd(width)}  ${detail}`
    return fix === null ? [line] : [line, `${' '.repeat(width + 8)}fix: ${fix}`]
  })
  return `${lines.join('\n')}\n`
}
