/**
 * The declarations of a packed package: those of the modules that it exports and of all that these name, of other
 * packages of this repository too. TypeScript writes one for each module; here they get the places and names that they
 * have in the packed package.
 */
import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire, isBuiltin } from 'node:module'
import { tmpdir } from 'node:os'
import { dirname, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { packageNamed, sourceOf, sourcesByName } from './packages.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))
const compiler = join(dirname(createRequire(import.meta.url).resolve('typescript/package.json')), 'bin', 'tsc')

/** `from '…'` and `import('…')`. */
const specifier = /(\bfrom |\bimport\()'([^']+)'/g

/** Where the declarations of a source file are in `dist/`. */
export const declarationOf = (source: string): string =>
  relative(join(root, 'packages'), source)
    .replace(/^([^/]+)\/src\//, 'types/$1/')
    .replace(/\.ts$/, '.d.ts')

/**
 * Writes them below `dist`, and returns the other packages whose types they name. Throws where one of them cannot be
 * written.
 */
export function writeDeclarations(sources: readonly string[], dist: string): string[] {
  const made = mkdtempSync(join(tmpdir(), 'hub-types-'))
  try {
    const report = compile(made)
    const written = new Set<string>()
    const foreign = new Set<string>()
    const visit = (source: string): void => {
      if (written.has(source)) return
      written.add(source)
      const from = declarationOf(source)
      const text = readFileSync(join(made, relative(root, source).replace(/\.ts$/, '.d.ts')), 'utf8')
      const placed = text.replaceAll(specifier, (clause, lead: string, name: string) => {
        const target = name.startsWith('.') ? join(dirname(source), name) : sourceOf(name)
        if (target === null) {
          if (!isBuiltin(name)) foreign.add(packageNamed(name))
          return clause
        }
        visit(target)
        const path = relative(dirname(from), declarationOf(target)).replace(/\.d\.ts$/, '.js')
        return `${lead}'${path.startsWith('.') ? path : `./${path}`}'`
      })
      mkdirSync(dirname(join(dist, from)), { recursive: true })
      writeFileSync(join(dist, from), placed)
    }
    for (const source of sources) visit(source)
    const faults = report.split('\n').filter((line) => {
      const [, file = ''] = /^(\S+)\(\d+,\d+\): error/.exec(line) ?? []
      return written.has(join(root, file))
    })
    if (faults.length > 0) throw new Error(`Declarations cannot be written:\n${faults.join('\n')}`)
    return [...foreign].sort()
  } finally {
    rmSync(made, { recursive: true, force: true })
  }
}

/** Writes those of every package. Returns what the compiler reports. */
function compile(outDir: string): string {
  const project = join(outDir, 'tsconfig.json')
  const compilerOptions = {
    noEmit: false,
    declaration: true,
    emitDeclarationOnly: true,
    lib: ['es2024', 'esnext.disposable', 'dom', 'dom.iterable'],
    typeRoots: [join(root, 'node_modules/@types')],
    rootDir: root,
    // By their links in `node_modules` TypeScript takes them for installed, and writes nothing of them.
    paths: Object.fromEntries(Object.entries(sourcesByName).map(([name, source]) => [name, [source]])),
    outDir,
  }
  const include = [join(root, 'packages/*/src')]
  writeFileSync(
    project,
    JSON.stringify({ extends: join(root, 'tsconfig.json'), compilerOptions, include, exclude: [] }),
  )
  const { stdout } = spawnSync(process.execPath, [compiler, '-p', project], { cwd: root, encoding: 'utf8' })
  if (!existsSync(join(outDir, 'packages'))) throw new Error(`TypeScript wrote no declarations:\n${stdout}`)
  return stdout
}
