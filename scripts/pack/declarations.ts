/**
 * The declarations of a packed package: those of the modules that it exports and of all that these name, of other
 * packages of this repository too. TypeScript writes one for each module; here they get the places and names that they
 * have in the packed package.
 */
import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, globSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire, isBuiltin } from 'node:module'
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
  const { made, report } = compiledOnce()
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
}

/** Declarations of every package's sources, and what the compiler reported about them. */
interface Compiled {
  /** A folder that others may read too. */
  readonly made: string
  readonly report: string
}

const cache = join(root, 'node_modules/.cache/types')
const REPORT = 'report.txt'

/**
 * Each packed package takes its declarations from the same ones, which take the compiler ten seconds of processor time:
 * they are kept by a hash of all that they are made from. `npm ci` removes them.
 */
function compiledOnce(): Compiled {
  const made = join(cache, sourcesHash())
  const report = join(made, REPORT)
  if (!existsSync(report)) {
    mkdirSync(cache, { recursive: true })
    const fresh = mkdtempSync(join(cache, 'new-'))
    writeFileSync(join(fresh, REPORT), compile(fresh))
    try {
      renameSync(fresh, made)
    } catch (error) {
      // Another process was first, with the same ones.
      rmSync(fresh, { recursive: true, force: true })
      if (!existsSync(report)) throw error
    }
  }
  return { made, report: readFileSync(report, 'utf8') }
}

/** Of what declarations follow from: sources, the compiler's settings, and the versions of all packages. */
function sourcesHash(): string {
  const files = globSync(['packages/*/src/**/*.{ts,tsx}', 'tsconfig.json', 'package-lock.json'], { cwd: root }).sort()
  const hash = createHash('sha256').update(readFileSync(import.meta.filename))
  for (const file of files) hash.update(`${file}\0`).update(readFileSync(join(root, file)))
  return hash.digest('hex').slice(0, 32)
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
