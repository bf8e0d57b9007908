/** How commands answer: one JSON object with `--json`, else lines for a person; errors are one line on stderr. */
import { inLine, print, printJson } from './terminal.ts'

/** Our own objects with the names of `/v1`, whatever the code calls their members. Never for what came from `/v1`: it may hold names of others. */
export function inV1Names(object: object): Record<string, unknown> {
  const snake = (name: string) => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
  return Object.fromEntries(Object.entries(object).map(([name, value]) => [snake(name), namedWithin(value)]))
}

function namedWithin(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(namedWithin)
  return typeof value === 'object' && value !== null ? inV1Names(value) : value
}

/** Prints a command's result, in the names of `/v1`. Members that are null or absent are left out of the lines, never out of the JSON. */
export function printResult(result: Readonly<Record<string, unknown>>, json: boolean): void {
  const named = inV1Names(result)
  if (json) printJson(process.stdout, named)
  else print(process.stdout, linesOf(named))
}

const NAME_WIDTH = 24

/** An object as lines for a person: nested members indented, lists in one line, nulls left out. */
export function linesOf(object: Readonly<Record<string, unknown>>, indent = ''): string {
  return Object.entries(object)
    .map(([name, value]) => {
      if (value === null || value === undefined) return ''
      if (Array.isArray(value)) return line(indent, name, value.map(wordOf).join(', ') || 'none')
      if (typeof value !== 'object') return line(indent, name, String(value))
      return `${indent}${inLine(name)}\n${linesOf(value as Record<string, unknown>, `${indent}  `)}`
    })
    .join('')
}

const line = (indent: string, name: string, text: string) =>
  `${inLine(`${`${indent}${name}`.padEnd(NAME_WIDTH)} ${text}`)}\n`

/** An account or repo in a list is known by its name. */
function wordOf(value: unknown): string {
  if (typeof value !== 'object' || value === null) return String(value)
  const named = value as { handle?: unknown; id?: unknown }
  return String(named.handle ?? named.id ?? JSON.stringify(value))
}

/** One line for what went wrong; the inside of an unexpected error stays inside unless HUB_DEBUG is set. */
export function printError(error: unknown): void {
  const text = error instanceof Error ? error.message : String(error)
  print(process.stderr, `hub: ${text}\n`)
  if (process.env.HUB_DEBUG && error instanceof Error) print(process.stderr, `${error.stack}\n`)
}
