/** Packing a package, in a copy of the tree: while npm packs, its package.json is that of the packed package, and other tests import it. */
import { execFile } from 'node:child_process'
import { cpSync, mkdirSync, readdirSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'

const root = join(import.meta.dirname, '../..')

/** What the npm that runs the tests set is not of the machine. */
const machine = Object.fromEntries(Object.entries(process.env).filter(([name]) => !/^npm_/i.test(name)))

/** Copies what packing reads into a folder that is there. Other packages are linked, and those of the tree are its own. */
export function copyTree(folder: string): void {
  const keeps = (path: string) => !/[\\/](node_modules|dist|__pycache__)$/.test(path)
  for (const name of ['package.json', 'package-lock.json', 'tsconfig.json', 'packages', 'scripts', 'clients/python'])
    cpSync(join(root, name), join(folder, name), { recursive: true, filter: keeps })
  const modules = join(folder, 'node_modules')
  mkdirSync(join(modules, '@hub'), { recursive: true })
  for (const name of readdirSync(join(root, 'node_modules')))
    if (name !== '@hub' && name !== 'hub') symlinkSync(join(root, 'node_modules', name), join(modules, name))
  for (const name of readdirSync(join(root, 'packages'))) {
    const link = name === 'cli' ? join(modules, 'hub') : join(modules, '@hub', name)
    symlinkSync(join(folder, 'packages', name), link)
  }
}

/** Packs a package of the copied tree into a folder. Returns the path of the file. */
export async function pack(tree: string, name: string, into: string): Promise<string> {
  const args = ['pack', '--silent', '--workspace', name, '--pack-destination', into]
  const { stdout } = await promisify(execFile)('npm', args, { cwd: tree, env: machine })
  return join(into, stdout.trim())
}
