/**
 * Starts the command so that it survives a killed `hub track`: its output goes through `tee` (or on a terminal through
 * `script`, which keeps a terminal for it) to a file, and its exit code to another one.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { accessSync, constants, existsSync, readFileSync, statSync } from 'node:fs'
import { constants as osConstants } from 'node:os'
import { delimiter, join } from 'node:path'
import { isAlive } from '@hub/runner/command'
import { type ProcessName, startTimeOf } from '@hub/runner/worker/living-process'
import { commandFiles, type TrackFiles } from './track-folder.ts'

type Env = Readonly<Record<string, string | undefined>>

export interface Launch {
  readonly argv: readonly string[]
  readonly cwd: string
  readonly env: Env
  readonly files: TrackFiles
  /** Which command of the run it is, from 1. */
  readonly nth: number
  /** Standard input and output are a terminal. */
  readonly isTerminal: boolean
}

/**
 * Runs the command with file descriptor 4 as its standard error, and records its exit code. A signal to the group ends
 * the command; the shell survives it. What the shell itself says (`Killed`) is dropped.
 */
const work = `hub_work() { trap : TERM INT HUP QUIT; ("$@" 2>&4 4>&-); hub_code=$?
  echo $hub_code > "$hub_exit.new"; mv "$hub_exit.new" "$hub_exit"; }`
const begin = `trap : TERM INT HUP QUIT; echo $$ > "$hub_pid.new"; mv "$hub_pid.new" "$hub_pid"`

/** Standard output and error stay apart: each goes through a `tee` of its own, both to the one file. */
const throughPipes = `hub_log=$1 hub_pid=$2 hub_exit=$3; shift 3
${work}
hub_keep() { trap '' TERM INT HUP QUIT PIPE; exec tee -a "$hub_log"; }
${begin}
{ hub_work "$@" 4>&1 >&3 2>/dev/null 3>&- | hub_keep >&2 3>&-; } 3>&1 | hub_keep`

/** What the terminal shows goes through a pipe, in which what `script` adds and the line ends of terminals are cut. */
const throughTerminal = `hub_log=$1 hub_pipe=$2
mkfifo -m 600 "$hub_pipe"
(trap '' TERM INT HUP QUIT PIPE; exec sed -u -e '1{/^Script started on /d}' -e 's/\\r$//' \\
  -e '/^$/{N;/^\\nScript done on .*COMMAND_EXIT_CODE/d;s/\\r$//}' -e '/^Script done on .*COMMAND_EXIT_CODE/d' \\
  < "$hub_pipe" >> "$hub_log") &
trap : TERM INT HUP QUIT
SHELL=/bin/sh script -qef -c "$3" "$hub_pipe"
wait`
const inTerminal = `hub_pid=$1 hub_exit=$2; shift 2
${work}
${begin}
hub_work "$@" 4>&2 2>/dev/null`

/** The child of this process that runs the command; its id is not always that of the command's group. */
export async function launch(given: Launch): Promise<ChildProcess> {
  const { argv, cwd, files, nth } = given
  const { pid, exitCode, terminal } = commandFiles(files, nth)
  const inherited = { cwd, stdio: 'inherit' as const }
  const child =
    given.isTerminal && canKeepTerminal(given.env)
      ? spawn('/bin/sh', ['-c', throughTerminal, 'hub-track', files.output, terminal, innerOf(given)], {
          ...inherited,
          env: { ...given.env },
        })
      : spawn('/bin/sh', ['-c', throughPipes, 'hub-track', files.output, pid, exitCode, ...argv], {
          ...inherited,
          env: withoutTerminal(given),
          // Its own group: a cancel ends all of it, and it outlives us.
          detached: true,
        })
  await new Promise<void>((resolve, reject) => child.once('spawn', resolve).once('error', reject))
  child.unref()
  return child
}

/** The command line for the shell in the terminal. */
function innerOf({ argv, env, files, nth }: Launch): string {
  const { pid, exitCode } = commandFiles(files, nth)
  const shell = env.SHELL === undefined ? 'unset SHELL' : `SHELL=${quoted(env.SHELL)}`
  return `${shell}; exec /bin/sh -c ${[inTerminal, 'hub-track', pid, exitCode, ...argv].map(quoted).join(' ')}`
}

const quoted = (text: string) => `'${text.replaceAll("'", `'\\''`)}'`

/** Without a terminal Python would keep lines back, and with one that only we see programs would not color. */
function withoutTerminal({ env, isTerminal }: Launch): Record<string, string | undefined> {
  const colors = isTerminal ? { FORCE_COLOR: '1', CLICOLOR_FORCE: '1' } : {}
  return { PYTHONUNBUFFERED: '1', ...colors, ...env }
}

/** `script` of Linux; others have other options. */
const canKeepTerminal = (env: Env) =>
  process.platform === 'linux' && ['script', 'sed', 'mkfifo'].every((name) => programAt(name, env, '/') !== null)

/** Where the program is that a shell would start; null if there is none. */
export function programAt(name: string, env: Env, cwd: string): string | null {
  const places = name.includes('/') ? [join(cwd, name)] : (env.PATH ?? '').split(delimiter).map((at) => join(at, name))
  return [...(name.startsWith('/') ? [name] : places)].find(isProgram) ?? null
}

function isProgram(file: string): boolean {
  try {
    accessSync(file, constants.X_OK)
    return statSync(file).isFile()
  } catch {
    return false
  }
}

/** The group of the command; null until its shell has begun. */
export function groupOf(files: TrackFiles, nth: number): ProcessName | null {
  const { pid: file } = commandFiles(files, nth)
  if (nth === 0 || !existsSync(file)) return null
  const pid = Number(readFileSync(file, 'utf8'))
  return pid > 1 ? { pid, born: startTimeOf(pid) ?? '' } : null
}

/** Whether the group has a process. */
export const isGroupAlive = (group: ProcessName | null): boolean => group !== null && isAlive(group)

/** The signal that an exit code of a shell tells of; null for another one. */
export function signalIn(code: number): NodeJS.Signals | null {
  const found = Object.entries(osConstants.signals).find(([, number]) => number === code - 128)
  return found ? (found[0] as NodeJS.Signals) : null
}
