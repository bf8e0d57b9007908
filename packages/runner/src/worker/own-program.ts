/** Parts of this package that run as processes or threads of their own. */
import { fileURLToPath } from 'node:url'

const argument = '--part='

/**
 * The file and the arguments that run a module as a program. If the package is bundled into one file, that file
 * contains every module, and the query of the URL (`?part=…`) selects one.
 */
export function programOf(module: URL): readonly [file: string, ...args: string[]] {
  const part = module.searchParams.get('part')
  return part === null ? [fileURLToPath(module)] : [fileURLToPath(module), `${argument}${part}`]
}

/**
 * For the bundled file: the part that this process or thread was started as; null for the command itself. The argument
 * counts only in a thread, or in a process with an IPC channel to its parent.
 */
export function startedPart({ argv, send }: Pick<NodeJS.Process, 'argv' | 'send'>, isThread: boolean): string | null {
  const [, , first = ''] = argv
  return (isThread || send !== undefined) && first.startsWith(argument) ? first.slice(argument.length) : null
}
