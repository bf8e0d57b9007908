/** The cases of every operation, and the requests that the tables make of them. */
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Cases, CasesByName, MakeSecrets, Rows, Things } from './define-cases.ts'
import { knownRows } from './every-table.ts'
import type { Json } from './hub.ts'

const root = join(import.meta.dirname, '../..')

interface CasesModule {
  readonly cases?: CasesByName
  readonly rows?: Rows
  readonly secrets?: MakeSecrets
}

const files = globSync('test/**/*.cases.ts', { cwd: root }).sort()
const modules = await Promise.all(
  files.map(async (file) => ({ file, ...((await import(join(root, file))) as CasesModule) })),
)
const silent = modules.filter(({ cases, rows, secrets }) => !cases && !rows && !secrets).map(({ file }) => file)
if (silent.length > 0) throw new Error(`Neither cases nor rows nor secrets are exported by ${silent.join(', ')}.`)

/** What several files say by name, as one. Throws where two of them say the same. */
function merged<T>(
  what: string,
  of: (module: CasesModule) => Readonly<Record<string, T>>,
): Readonly<Record<string, T>> {
  const all: Record<string, T> = {}
  for (const { file, ...module } of modules)
    for (const [name, one] of Object.entries(of(module))) {
      if (Object.hasOwn(all, name)) throw new Error(`${name} has ${what} in ${file} and in another file.`)
      all[name] = one
    }
  return all
}

/** The cases of every operation, by its name. */
export const allCases = merged<Cases>('cases', ({ cases = {} }) => cases)

/** By each CHECK an insert that it must refuse. */
export const refusedRows = merged('a refused row', ({ rows }) => rows?.refused ?? {})

/** An insert for each table that is newer than the baseline migration. */
export const keptRows = merged('a row', ({ rows }) => rows?.kept?.(knownRows) ?? {})

/** The objects that those rows name. */
export const keptObjects = merged('an object', ({ rows }) => rows?.objects?.(knownRows) ?? {})

/** What makes the secrets of all subjects. */
export const secretMakers = modules.flatMap(({ secrets }) => secrets ?? [])

/** Those of one operation. Throws where it has none. */
export function casesOf(operation: string): Cases {
  const found = allCases[operation]
  if (!found) throw new Error(`${operation} has no cases: write them in test/<subject>/*.cases.ts.`)
  return found
}

/** The body of an operation for a test's own things. */
export function bodyOf({ operation }: Pick<Asked, 'operation'>, things: Things): Json {
  const { body } = casesOf(operation)
  return typeof body === 'function' ? body(things) : body
}

/** An operation of `/v1` that a table asks for. */
export interface Asked {
  readonly operation: string
  readonly method: string
  readonly path: string
}

const { paths }: { readonly paths: Readonly<Record<string, Readonly<Record<string, { operationId: string }>>>> } =
  JSON.parse(readFileSync(join(root, 'rest-compat/openapi.json'), 'utf8'))

/** The operations below a path, those that answer text among them. */
export const operationsUnder = (prefix: string): readonly Asked[] =>
  Object.entries(paths)
    .filter(([path]) => path === prefix || path.startsWith(`${prefix}/`))
    .flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, { operationId }]) => ({
        operation: operationId,
        method: method.toUpperCase(),
        path: path.replaceAll(/\{(\w+)\}/g, ':$1'),
      })),
    )

/** The path of an operation, with values for its segments; `repo` is an owner and a slug. */
export function pathOf({ path, operation }: Asked, values: Readonly<Record<string, string>>): string {
  const { ids, query = '' } = casesOf(operation)
  const all: Readonly<Record<string, string>> = { ...ids, ...values }
  return (
    path.replace(':owner/:repo', ':repo').replaceAll(/:(\w+)/g, (segment, name: string) => all[name] ?? segment) + query
  )
}
