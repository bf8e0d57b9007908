/** Questions on a terminal. They go to standard error, so that standard output stays the result. */
import { createInterface } from 'node:readline'
import { Writable } from 'node:stream'
import type { ClientIo } from './client-output.ts'
import { UsageError } from './command-errors.ts'
import { inLine, print } from './terminal.ts'

/** The process of a command that asks. */
export interface AskingIo extends ClientIo {
  readonly stdin: NodeJS.ReadableStream & {
    readonly isTTY?: boolean
    /** Of a terminal: each key as it is typed, without an echo. */
    setRawMode?(isRaw: boolean): unknown
  }
}

/** Whether a person can be asked. */
export const canAsk = ({ stdin, stderr }: AskingIo): boolean => stdin.isTTY === true && stderr.isTTY === true

/** The line that the person types, trimmed; '' at the end of input. */
export async function ask(io: AskingIo, question: string): Promise<string> {
  print(io.stderr, question)
  return readLine(io, new Writable({ write: (_chunk, _encoding, done) => done() }), false)
}

/** The same without an echo: nothing that is typed is shown. */
export async function askSecret(io: AskingIo, question: string): Promise<string> {
  print(io.stderr, question)
  // A terminal in raw mode shows nothing by itself, and what readline would show goes nowhere.
  const answer = await readLine(io, new Writable({ write: (_chunk, _encoding, done) => done() }), true)
  print(io.stderr, '\n')
  return answer
}

function readLine({ stdin }: AskingIo, output: Writable, terminal: boolean): Promise<string> {
  const lines = createInterface({ input: stdin, output, terminal, historySize: 0 })
  return new Promise<string>((resolve, reject) => {
    let isInterrupted = false
    lines.once('line', (line) => {
      resolve(line.trim())
      lines.close()
    })
    lines.once('SIGINT', () => {
      isInterrupted = true
      lines.close()
    })
    lines.once('close', () => (isInterrupted ? reject(new UsageError('Nothing was changed.')) : resolve('')))
  })
}

/**
 * Has the person type `name` before something is lost for good; `--yes` says it in a script. Throws a `UsageError` if
 * there is no terminal to ask on, or another name is typed.
 */
export async function confirmByName(io: AskingIo, name: string, loss: string, yes: boolean): Promise<void> {
  if (yes) return
  if (!canAsk(io)) throw new UsageError(`${loss} Add --yes to do it without a question.`)
  const typed = await ask(io, `${inLine(loss)}\nType ${inLine(name)} to go on: `)
  if (typed !== name) throw new UsageError(`Nothing was changed: that is not ${name}.`)
}
