/** What `npm start` is told on its command line, beside its settings. */
import { parseArgs } from 'node:util'

/** Answer of `--help`. */
export const usage = `npm start -- [--workers N]

Starts the hub. Everything else is a setting: see docs/operations.md.

  --workers N   N processes serve the port, whatever WORKERS says
  --help        this text
`

/** The settings to start with; or what to say instead of starting, and the code to end with. */
export type StartArguments =
  | { readonly environment: NodeJS.ProcessEnv }
  | { readonly says: string; readonly code: 0 | 1 }

/** Reads the command line; a number that is not valid is refused with the other settings. */
export function startArguments(args: readonly string[], environment: NodeJS.ProcessEnv): StartArguments {
  try {
    const options = { workers: { type: 'string' }, help: { type: 'boolean' } } as const
    const { values } = parseArgs({ args: [...args], options })
    if (values.help) return { says: usage, code: 0 }
    return { environment: values.workers === undefined ? environment : { ...environment, WORKERS: values.workers } }
  } catch (error) {
    if (!(error instanceof TypeError)) throw error
    const [fault] = error.message.split('. ')
    return {
      says: `${fault}. The server knows --workers N and --help; its settings are in the environment.\n`,
      code: 1,
    }
  }
}
