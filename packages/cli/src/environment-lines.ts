/** Text output of what a run was made with. */
import { isJsonObject } from '@hub/formats/exact-json'
import { inLine } from './terminal.ts'

const COMMAND_WIDTH = 200

/** One line per known fact; '' without any. `--json` has all of it. */
export function environmentLines(environment: Readonly<Record<string, unknown>> | null): string {
  if (environment === null) return ''
  const { command, host, git, python } = environment
  const words = Array.isArray(command) ? command.join(' ') : ''
  const lines: readonly (readonly [string, string])[] = [
    ['command', words.length > COMMAND_WIDTH ? `${words.slice(0, COMMAND_WIDTH)}…` : words],
    ['host', textOf(host)],
    ['code', isJsonObject(git) ? codeText(git) : ''],
    ['python', isJsonObject(python) ? pythonText(python) : ''],
  ]
  return lines.map(([name, value]) => (value === '' ? '' : `${inLine(`${name.padEnd(10)} ${value}`)}\n`)).join('')
}

const textOf = (value: unknown) => (typeof value === 'string' ? value : '')

function codeText({ commit, branch, remote, is_changed: isChanged }: Record<string, unknown>): string {
  const at = textOf(commit).slice(0, 12)
  const of = [textOf(branch), textOf(remote)].filter((text) => text !== '').join(' of ')
  return `${at}${of === '' ? '' : ` (${of})`}${isChanged === true ? ', with changes' : ''}`
}

function pythonText({ version, packages }: Record<string, unknown>): string {
  const count = isJsonObject(packages) ? Object.keys(packages).length : 0
  return `${textOf(version)}, ${count} packages`
}
