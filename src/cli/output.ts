/** How commands answer: one JSON object with `--json`, else lines for a person; errors are one line on stderr. */

/** Prints a command's result. Members that are null or absent are left out of the lines, never out of the JSON. */
export function printResult(result: Readonly<Record<string, unknown>>, json: boolean): void {
  if (json) {
    process.stdout.write(`${JSON.stringify(result)}\n`)
    return
  }
  for (const [name, value] of Object.entries(result)) {
    if (value === null || value === undefined) continue
    const text = typeof value === 'object' ? JSON.stringify(value) : String(value)
    process.stdout.write(`${name.padEnd(14)} ${text}\n`)
  }
}

/** One line for what went wrong; the inside of an unexpected error stays inside unless HUB_DEBUG is set. */
export function printError(error: unknown): void {
  const text = error instanceof Error ? error.message : String(error)
  process.stderr.write(`hub: ${text}\n`)
  if (process.env.HUB_DEBUG && error instanceof Error) process.stderr.write(`${error.stack}\n`)
}
