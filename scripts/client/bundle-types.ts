/**
 * The declarations of the client library, one file for each entry. TypeScript 7 writes them for each module; the tools that join them need the compiler's JavaScript
 * API, which it does not have. Modules whose types are shipped import nothing but each other, so that joining them is putting one after the other.
 */
import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { basename, dirname, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('../..', import.meta.url))
const compiler = join(dirname(createRequire(import.meta.url).resolve('typescript/package.json')), 'bin', 'tsc')

/** One declaration file, and the modules that are in it. */
interface Joined {
  readonly text: string
  readonly modules: ReadonlySet<string>
}

const fromClause = /^(?:import|export)\b[^;]*?\bfrom '([^']+)';$/gm
const importClause = /^import\b[^;]*?\bfrom '[^']+';\n/gm
const declared = /^(?:export )?(?:declare )?(?:abstract )?(?:class|const|function|interface|type) (\w+)/gm

/** Writes `client.d.ts` and `folders.d.ts`, which refers to the first. Throws where a type of another package would be in them. */
export function bundleTypes(folder: string): void {
  const made = mkdtempSync(join(tmpdir(), 'hub-types-'))
  try {
    const project = join(root, 'packages/client/tsconfig.types.json')
    // It names files as seen from its working directory.
    const options = { cwd: root, encoding: 'utf8' } as const
    const { stdout } = spawnSync(process.execPath, [compiler, '-p', project, '--outDir', made], options)
    const client = join(made, 'packages/client/src/index.d.ts')
    const shared = joined(client, new Map())
    writeFileSync(join(folder, 'client.d.ts'), shared.text)
    const owners = new Map([...shared.modules].map((module) => [module, './client.js']))
    const folders = joined(join(made, 'packages/client/src/folders.d.ts'), owners)
    writeFileSync(join(folder, 'folders.d.ts'), folders.text)
    const shipped = [...shared.modules, ...folders.modules].map((module) => relative(made, module))
    assertDeclared(stdout, shipped)
  } finally {
    rmSync(made, { recursive: true, force: true })
  }
}

/** Throws for errors of modules whose types are shipped. The compiler reports those of all modules that it reaches, whose declarations nothing uses. */
function assertDeclared(report: string, shipped: readonly string[]): void {
  const faults = report.split('\n').filter((line) => {
    const [, source = ''] = /^(\S+)\.ts\(\d+,\d+\): error/.exec(line) ?? []
    return shipped.includes(`${source}.d.ts`)
  })
  if (faults.length > 0) throw new Error(`The declarations of the client cannot be written:\n${faults.join('\n')}`)
}

/** `entry` with every module that it reaches. Names of modules in `owners` are imported from there. */
function joined(entry: string, owners: ReadonlyMap<string, string>): Joined {
  const texts = new Map<string, string>()
  const foreign = new Map<string, Set<string>>()
  const visit = (module: string) => {
    if (texts.has(module)) return
    const text = readFileSync(module, 'utf8')
    texts.set(module, '')
    for (const [clause, from = ''] of text.matchAll(fromClause)) {
      if (!from.startsWith('.')) throw new Error(`${basename(module)} has types of ${from} in what it exports.`)
      const target = join(dirname(module), from.replace(/\.ts$/, '.d.ts'))
      const owner = owners.get(target)
      if (owner === undefined) visit(target)
      else for (const name of namesOf(clause, target)) foreign.set(owner, (foreign.get(owner) ?? new Set()).add(name))
    }
    texts.set(module, text)
  }
  visit(entry)
  const own = [...texts].filter(([module]) => module !== entry)
  const body = own.map(([, text]) =>
    text
      .replaceAll(importClause, '')
      .replaceAll(/^export \{\};\n/gm, '')
      .replaceAll(/^export /gm, ''),
  )
  const seen = new Map<string, number>()
  for (const text of body)
    for (const [, name = ''] of text.matchAll(declared)) seen.set(name, (seen.get(name) ?? 0) + 1)
  const twice = [...seen].filter(([, count]) => count > 1).map(([name]) => name)
  if (twice.length > 0) throw new Error(`Two modules of the client declare ${twice.join(', ')}.`)
  const imports = [...foreign].map(([owner, names]) => `import { ${[...names].sort().join(', ')} } from '${owner}';\n`)
  return { text: imports.join('') + body.join('') + exportsOf(entry, texts), modules: new Set(texts.keys()) }
}

/** The names of `import { a, type b } from …` or `export { c } from …`; for `export *`, all of the module. */
function namesOf(clause: string, target: string): string[] {
  const listed = /\{([^}]*)\}/.exec(clause)?.[1]
  if (listed === undefined) return exportedBy(readFileSync(target, 'utf8'))
  return listed
    .split(',')
    .map((name) => name.replace(/^\s*type\s/, '').trim())
    .filter(Boolean)
}

const exportedBy = (text: string): string[] =>
  [...text.matchAll(declared)].filter(([line]) => line.startsWith('export ')).map(([, name = '']) => name)

/** What the entry exports: values as they are, and of modules that it exports as types only, their types. */
function exportsOf(entry: string, texts: ReadonlyMap<string, string>): string {
  const values = new Set<string>()
  const types = new Set<string>()
  for (const [clause, from = ''] of (texts.get(entry) ?? '').matchAll(fromClause)) {
    const target = join(dirname(entry), from.replace(/\.ts$/, '.d.ts'))
    for (const name of namesOf(clause, target)) (clause.startsWith('export type') ? types : values).add(name)
  }
  const onlyTypes = [...types].filter((name) => !values.has(name)).map((name) => `type ${name}`)
  return `export { ${[...values, ...onlyTypes].join(', ')} };\n`
}
