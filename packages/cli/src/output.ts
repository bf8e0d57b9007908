/** Command output: one JSON object with `--json`, otherwise text; errors are one line on stderr. */
import type { ClientIo } from './client-output.ts'
import { inLine, print, printJson } from './terminal.ts'

/** Examples of an operator command, for its help. */
export const examples = (...lines: string[]) =>
  `\nExamples:\n${lines.map((line) => `  $ npm run --silent hub -- ${line}`).join('\n')}`

/** Examples of a client command, the last part of its help. */
export const hubExamples = (...lines: string[]) => `\nExamples:\n${lines.map((line) => `  $ hub ${line}`).join('\n')}`

/** Converts member names to snake_case, as in `/v1`. Not for `/v1` responses: they may contain user-defined names. */
export function inV1Names(object: object): Record<string, unknown> {
  const snake = (name: string) => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
  return Object.fromEntries(Object.entries(object).map(([name, value]) => [snake(name), valueInV1Names(value)]))
}

function valueInV1Names(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(valueInV1Names)
  return typeof value === 'object' && value !== null ? inV1Names(value) : value
}

/** Prints a command's result with `/v1` names. Text output omits null members; JSON keeps them. */
export function printResult(
  { stdout }: Pick<ClientIo, 'stdout'>,
  result: Readonly<Record<string, unknown>>,
  json: boolean,
): void {
  const named = inV1Names(result)
  if (json) printJson(stdout, named)
  else print(stdout, linesOf(named))
}

const NAME_WIDTH = 24

/** An object as text: nested members indented, lists on one line, nulls omitted. */
export function linesOf(object: Readonly<Record<string, unknown>>, indent = ''): string {
  return Object.entries(object)
    .map(([name, value]) => {
      if (value === null || value === undefined) return ''
      if (Array.isArray(value)) return line(indent, name, value.map(labelOf).join(', ') || 'none')
      if (typeof value !== 'object') return line(indent, name, String(value))
      return `${indent}${inLine(name)}\n${linesOf(value as Record<string, unknown>, `${indent}  `)}`
    })
    .join('')
}

const line = (indent: string, name: string, text: string) =>
  `${inLine(`${`${indent}${name}`.padEnd(NAME_WIDTH)} ${text}`)}\n`

/** A list item by its handle or id. */
function labelOf(value: unknown): string {
  if (typeof value !== 'object' || value === null) return String(value)
  const named = value as { handle?: unknown; id?: unknown }
  return String(named.handle ?? named.id ?? JSON.stringify(value))
}
