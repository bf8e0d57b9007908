/** Parts of this package that run as processes or threads of their own. */
import { fileURLToPath } from 'node:url'

const argument = '--part='

/**
 * The file and the arguments with which a module runs as a program. Where the package is bundled into one file, that file is every module, and the URL's search
 * (`?part=…`) says which of them to be.
 */
export function programOf(module: URL): readonly [file: string, ...args: string[]] {
  const part = module.searchParams.get('part')
  return part === null ? [fileURLToPath(module)] : [fileURLToPath(module), `${argument}${part}`]
}

/**
 * Of the one file: which part this process or thread was started as; null for the command itself. The argument counts only in a thread, or in a process with a
 * channel to its parent.
 */
export function startedPart({ argv, send }: Pick<NodeJS.Process, 'argv' | 'send'>, isThread: boolean): string | null {
  const [, , first = ''] = argv
  return (isThread || send !== undefined) && first.startsWith(argument) ? first.slice(argument.length) : null
}
