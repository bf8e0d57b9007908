/** The Node that a user of the package has, rather than the one that npm brings for the server. */
import { existsSync, realpathSync } from 'node:fs'
import { delimiter, join } from 'node:path'

/** The first `node` of PATH that is not a package's; without one, the Node of this test. */
export function machineNode(): string {
  for (const folder of (process.env.PATH ?? '').split(delimiter)) {
    const program = join(folder, 'node')
    if (existsSync(program) && !realpathSync(program).includes('node_modules')) return program
  }
  return process.execPath
}
