/** Which file imports which: rooms keep to their neighbours, and packages to their names. */
import { existsSync, globSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { cruise, type ICruiseResult } from 'dependency-cruiser'
import { describe, expect, it } from 'vitest'
import { lazy } from '../src/platform/lazy.ts'
import { cruiseOptions, folders, forbidden } from './rooms.ts'

const root = join(import.meta.dirname, '..')
const packages = globSync('packages/*/package.json', { cwd: root }).map((file) => dirname(file))
/** The folder of the package that a file is in; null for the server's own. */
const packageOf = (file: string) => /^packages\/[^/]+/.exec(file)?.[0] ?? null

/** What imports what, with the violations of the rules of rooms.ts: read once, by the first test that asks. */
const cruised = lazy(async () => {
  const options = { ...cruiseOptions, ruleSet: { forbidden }, validate: true }
  const { output } = await cruise([...folders, 'web/src'], options)
  return output as ICruiseResult
})

describe('the house', () => {
  it('keeps each room to the imports that rooms.ts allows it, and has no circle', async () => {
    const { modules, summary } = await cruised()
    expect(summary.totalCruised).toBeGreaterThan(300)
    expect(summary.violations.map(({ rule, from, to }) => `${rule.name}: ${from} -> ${to}`)).toEqual([])
    // What a package does not export is its own: others import it by its name.
    const around = modules.flatMap(({ source, dependencies }) =>
      dependencies
        .filter(({ module, resolved }) => module.startsWith('.') && packageOf(resolved) !== packageOf(source))
        .filter(({ resolved }) => packageOf(source) !== null || packageOf(resolved) !== null)
        .map(({ resolved }) => `${source} -> ${resolved}`),
    )
    expect(around).toEqual([])
  })

  it('loads of the server what a command does when that command runs, and nothing for the others', async () => {
    const { modules } = await cruised()
    const importsOf = new Map(modules.map(({ source, dependencies }) => [source, dependencies]))
    const loaded = new Set<string>()
    const load = (file: string): void => {
      if (loaded.has(file)) return
      loaded.add(file)
      for (const { resolved, dynamic, dependencyTypes } of importsOf.get(file) ?? [])
        if (!dynamic && !dependencyTypes.includes('type-only')) load(resolved)
    }
    load('src/operator/command.ts')
    expect(loaded.has('packages/cli/src/program.ts')).toBe(true)
    const ofServer = [...loaded].filter((file) => /^src\/(?!operator\/)/.test(file))
    expect(ofServer.sort()).toEqual(['src/backup/object-modes.ts', 'src/platform/version.ts'])
  })
})

describe('the packages', () => {
  it('name in their package.json whatever they import', async () => {
    const { modules } = await cruised()
    for (const folder of packages.filter((folder) => existsSync(join(root, folder, 'src'))))
      expect(modules.some(({ source }) => source.startsWith(`${folder}/src/`))).toBe(true)
    const undeclared = modules.flatMap(({ source, dependencies }) => {
      const [folder = ''] = /^packages\/[^/]+/.exec(source) ?? []
      if (folder === '' || !source.startsWith(`${folder}/src/`)) return []
      const {
        name,
        dependencies: own,
        peerDependenciesMeta,
      } = JSON.parse(readFileSync(join(root, folder, 'package.json'), 'utf8'))
      const declared = Object.keys({ ...own, ...peerDependenciesMeta })
      const imported = dependencies.filter(({ module, coreModule }) => !coreModule && !module.startsWith('.'))
      return imported
        .map(({ module }) =>
          module
            .split('/')
            .slice(0, module.startsWith('@') ? 2 : 1)
            .join('/'),
        )
        .filter((wanted) => wanted !== name && !declared.includes(wanted))
        .map((wanted) => `${source}: ${wanted}`)
    })
    expect(undeclared).toEqual([])
  })
})
