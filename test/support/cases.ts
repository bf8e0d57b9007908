/** The cases of every operation, and the requests that the tables make of them. */
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Cases, CasesByName, Things } from './define-cases.ts'
import type { Json } from './hub.ts'

const root = join(import.meta.dirname, '../..')

async function everyCase(): Promise<Readonly<Record<string, Cases>>> {
  const all: Record<string, Cases> = {}
  for (const file of globSync('test/**/*.cases.ts', { cwd: root }).sort()) {
    const { cases } = (await import(join(root, file))) as { readonly cases: CasesByName }
    for (const [name, one] of Object.entries(cases)) {
      if (Object.hasOwn(all, name)) throw new Error(`${name} has cases in ${file} and in another file.`)
      all[name] = one
    }
  }
  return all
}

/** The cases of every operation, by its name. */
export const allCases = await everyCase()

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
