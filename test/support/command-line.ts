/** Commands of `hub` in this process: their arguments in, their output and exit code out. */
import { Readable, Writable } from 'node:stream'
import { Command } from 'commander'
import { type ProgramIo, runProgram } from 'hub/program'
import { serverProgram } from '../../src/operator/server-program.ts'

export interface CommandEnded {
  readonly code: number
  readonly out: string
  readonly err: string
}

interface Surroundings {
  readonly env: Readonly<Record<string, string>>
  /** Is given the function that stands for Ctrl-C. */
  readonly stopWith?: (stop: () => void) => void
  readonly cwd?: string
  readonly isTTY?: boolean
  /** What is typed or piped; several texts come one after the other. */
  readonly stdin?: string | readonly string[]
  /** Is given each text on standard error as it is written. */
  readonly onError?: (text: string) => void
}

type Register = (program: Command, io: ProgramIo) => void

/** The whole program. Its process would differ in loading and signals alone. */
export async function runHub(
  args: readonly string[],
  env: Readonly<Record<string, string>>,
  more: Omit<Surroundings, 'env'> = {},
): Promise<CommandEnded> {
  const { io, ended } = captured({ env, ...more })
  await runProgram(serverProgram, io, args)
  return ended(0)
}

/** One group of commands. */
export async function runCommandLine(
  register: Register,
  args: readonly string[],
  env: Readonly<Record<string, string>>,
  stopWith?: (stop: () => void) => void,
  cwd?: string,
  isTTY?: boolean,
): Promise<CommandEnded> {
  const { io, ended } = captured({ env, stopWith, cwd, isTTY })
  const program = new Command('hub')
    .option('--json')
    .enablePositionalOptions()
    .exitOverride()
    .configureOutput({ writeOut: () => {}, writeErr: () => {} })
  register(program, io)
  await program.parseAsync(args, { from: 'user' }).catch(() => {})
  return ended(-1)
}

function captured({ env, stopWith = () => {}, cwd = process.cwd(), isTTY = false, stdin = '', onError }: Surroundings) {
  const written = { out: '', err: '' }
  const into = (name: 'out' | 'err') =>
    Object.assign(
      new Writable({
        write(chunk, _, done) {
          written[name] += String(chunk)
          if (name === 'err') onError?.(String(chunk))
          done()
        },
      }),
      { isTTY },
    )
  let code: number | null = null
  const io: ProgramIo = {
    env,
    cwd,
    stdin: Object.assign(Readable.from([stdin].flat().filter((text) => text !== '')), { isTTY }),
    stdout: into('out'),
    stderr: into('err'),
    exit: (value) => {
      code = value
    },
    onInterrupt: (stop) => {
      stopWith(stop)
      return () => {}
    },
  }
  return { io, ended: (unset: number): CommandEnded => ({ code: code ?? unset, ...written }) }
}
