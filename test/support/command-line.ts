/** A command of the client in this process: its arguments in, its output and exit code out. */
import { Writable } from 'node:stream'
import { Command } from 'commander'
import type { ClientIo } from '../../src/cli/client-output.ts'

export interface CommandEnded {
  readonly code: number
  readonly out: string
  readonly err: string
}

type Register = (program: Command, io: ClientIo) => void

/** `stopWith` receives the function that acts as Ctrl-C. */
export async function runCommandLine(
  register: Register,
  args: readonly string[],
  env: Readonly<Record<string, string>>,
  stopWith: (stop: () => void) => void = () => {},
  cwd: string = process.cwd(),
  isTTY = false,
): Promise<CommandEnded> {
  const written = { out: '', err: '' }
  const into = (name: 'out' | 'err') =>
    Object.assign(
      new Writable({
        write(chunk, _, done) {
          written[name] += String(chunk)
          done()
        },
      }),
      { isTTY },
    )
  let code = -1
  const program = new Command('hub')
    .option('--json')
    .exitOverride()
    .configureOutput({ writeOut: () => {}, writeErr: () => {} })
  register(program, {
    env,
    cwd,
    stdout: into('out'),
    stderr: into('err'),
    exit: (value) => {
      code = value
    },
    onInterrupt: (stop) => {
      stopWith(stop)
      return () => {}
    },
  })
  await program.parseAsync(['node', 'hub', ...args]).catch(() => {})
  return { code, ...written }
}
