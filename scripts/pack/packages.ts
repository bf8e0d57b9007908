/** The packages of this repository, and what their names stand for. */
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('../..', import.meta.url))

type Versions = Readonly<Record<string, string>>

/** What this repository uses of a package.json. */
export interface Manifest {
  readonly name: string
  readonly version: string
  readonly bin?: Versions
  readonly exports: Readonly<Record<string, string>>
  /** The exports that a packed package has; without it all. The others are for packages of this repository. */
  readonly packed?: readonly string[]
  readonly dependencies?: Versions
  readonly peerDependencies?: Versions
  readonly devDependencies?: Versions
  readonly [member: string]: unknown
}

/** Of the package in a folder. */
export const manifestIn = (folder: string): Manifest => JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))

const folders = globSync('packages/*/package.json', { cwd: root }).map((file) => join(root, file, '..'))
const packages = new Map(
  folders.map((folder) => {
    const manifest = manifestIn(folder)
    return [manifest.name, { folder, manifest }] as const
  }),
)

/** The package of an imported name: `@hub/mjcf` of `@hub/mjcf/reading`. */
export const packageNamed = (specifier: string): string =>
  specifier
    .split('/')
    .slice(0, specifier.startsWith('@') ? 2 : 1)
    .join('/')

/** The source file that a name stands for, if it is one of this repository's packages. */
export function sourceOf(specifier: string): string | null {
  const name = packageNamed(specifier)
  const found = packages.get(name)
  if (!found) return null
  const path = found.manifest.exports[`.${specifier.slice(name.length)}`]
  if (path === undefined) throw new Error(`${name} does not export ${specifier}.`)
  return join(found.folder, path)
}

/** The source file of every name that the packages export. */
export const sourcesByName: Readonly<Record<string, string>> = Object.fromEntries(
  [...packages].flatMap(([name, { folder, manifest }]) =>
    Object.entries(manifest.exports)
      .filter(([, path]) => path.endsWith('.ts'))
      .map(([key, path]) => [name + key.slice(1), join(folder, path)]),
  ),
)

/** The version of a package that others are tested with. Throws for one that no package of this repository names. */
export function versionOf(name: string): string {
  for (const { manifest } of packages.values()) {
    const version = manifest.dependencies?.[name] ?? manifest.devDependencies?.[name]
    if (version !== undefined) return version
  }
  throw new Error(`No package of this repository depends on ${name}.`)
}
