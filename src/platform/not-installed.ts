/** What stands in for a stack trace where `npm ci` has not ended, or was never run. */
import { relative } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('../../', import.meta.url))
const missing = /^Cannot find (?:module|package) '([^']+)' imported from (\S.*)$/

/** One line that names what is missing and the fix; null for any other error. */
export function notInstalled(error: unknown): string | null {
  if (!(error instanceof Error) || (error as NodeJS.ErrnoException).code !== 'ERR_MODULE_NOT_FOUND') return null
  const [, what = 'A module', by = ''] = missing.exec(error.message) ?? []
  if (/\.generated\.ts$/.test(by))
    return `The hub's generated files are of another version of it: ${relative(root, by)} names a file that is not there. Run \`npm run codegen\`.`
  const name = (path: string) => (path.startsWith(root) ? relative(root, path) : path)
  return `The hub is not completely installed: ${name(what)} is missing${by && `, which ${name(by)} imports`}. Run \`npm ci\` and wait until it has finished.`
}

/** What `load` imports; where a part of it is missing, the process says so in one line and ends with code 1. */
export async function installed<T>(load: () => Promise<T>): Promise<T> {
  try {
    return await load()
  } catch (error) {
    const line = notInstalled(error)
    if (line === null) throw error
    process.stderr.write(`${line}\n`)
    process.exit(1)
  }
}
