/**
 * The documents of the pages as typed modules: `repos.graphql` gets `repos.graphql.ts` next to it, so that each page
 * loads its own alone.
 */
import { globSync, readFileSync } from 'node:fs'
import { basename } from 'node:path'
import { plugin, type TypeScriptDocumentsPluginConfig } from '@graphql-codegen/typescript-operations'
import { type DocumentNode, type FragmentDefinitionNode, type GraphQLSchema, Kind, parse, print, visit } from 'graphql'
import { GENERATED } from './marker.ts'

const root = new URL('../../', import.meta.url)

const CONFIG: TypeScriptDocumentsPluginConfig = {
  scalars: { ID: 'string', DateTime: 'string', SafeInt: 'number', JSON: 'unknown' },
  immutableTypes: true,
  disableDescriptions: true,
}

/** The text of each module, by its path. A fragment of any file can be used in all of them. */
export async function pageDocuments(schema: GraphQLSchema): Promise<Record<string, string>> {
  const sources = globSync('web/src/**/*.graphql', { cwd: root })
    .sort()
    .map((path) => ({ path, document: parse(readFileSync(new URL(path, root), 'utf8'), { noLocation: true }) }))
  const fragments = new Map(
    sources.flatMap(({ document }) => document.definitions.filter(isFragment)).map((one) => [one.name.value, one]),
  )
  const modules: Record<string, string> = {}
  for (const { path, document } of sources)
    if (document.definitions.some((one) => one.kind === Kind.OPERATION_DEFINITION))
      modules[`${path}.ts`] = await moduleOf(schema, path, document, fragments)
  return modules
}

const isFragment = (node: DocumentNode['definitions'][number]): node is FragmentDefinitionNode =>
  node.kind === Kind.FRAGMENT_DEFINITION

type Fragments = ReadonlyMap<string, FragmentDefinitionNode>

async function moduleOf(
  schema: GraphQLSchema,
  path: string,
  document: DocumentNode,
  fragments: Fragments,
): Promise<string> {
  const operations = document.definitions.filter((one) => one.kind === Kind.OPERATION_DEFINITION)
  const used = fragmentsOf({ kind: Kind.DOCUMENT, definitions: operations }, fragments)
  const whole: DocumentNode = { kind: Kind.DOCUMENT, definitions: [...operations, ...used] }
  const { content } = await plugin(schema, [{ location: path, document: whole }], CONFIG, { outputFile: '' })
  const parts = operations.flatMap((operation) => {
    if (!operation.name) return []
    const own: DocumentNode = { kind: Kind.DOCUMENT, definitions: [operation] }
    const text = print({ ...own, definitions: [operation, ...fragmentsOf(own, fragments)] }).replaceAll('`', '\\`')
    const name = operation.name.value
    const type = `${capital(name)}${capital(operation.operation)}`
    return `export const ${name.charAt(0).toLowerCase()}${name.slice(1)}${capital(operation.operation)} = gql<${type}, ${type}Variables>(\`\n${text}\n\`)`
  })
  return `${GENERATED} from ${basename(path)}. Do not edit. */\nimport { gql } from '@urql/core'\n\ntype Exact<T> = T\n\n${content}\n\n${parts.join('\n\n')}\n`
}

const capital = (word: string) => word.charAt(0).toUpperCase() + word.slice(1)

/** The fragments that a document uses, and those that they use. */
function fragmentsOf(document: DocumentNode, known: Fragments): FragmentDefinitionNode[] {
  const found = new Map<string, FragmentDefinitionNode>()
  const follow = (node: DocumentNode | FragmentDefinitionNode) =>
    visit(node, {
      FragmentSpread({ name: { value } }) {
        const fragment = known.get(value)
        if (!fragment || found.has(value)) return
        found.set(value, fragment)
        follow(fragment)
      },
    })
  follow(document)
  return [...found.values()]
}
