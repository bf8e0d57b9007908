/** The TypeScript types of the documents of a dialect: variables and results, by file name. */
import { readdirSync, readFileSync } from 'node:fs'
import { basename } from 'node:path'
import { plugin, type TypeScriptDocumentsPluginConfig } from '@graphql-codegen/typescript-operations'
import { type GraphQLSchema, Kind, type OperationDefinitionNode, parse } from 'graphql'
import { GENERATED } from './marker.ts'

const root = new URL('../../', import.meta.url)

const CONFIG: TypeScriptDocumentsPluginConfig = {
  scalars: { ID: 'string', DateTime: 'string', SafeInt: 'number', JSON: 'unknown' },
  noExport: true,
  immutableTypes: true,
  disableDescriptions: true,
}

/** The plugin's wrapper type for variables. */
const EXACT = 'type Exact<T> = T'

/** The text of the module of a folder, with types as `dialect` has them: enum values as `/v1` spells them. */
export async function documentTypes(name: string, dialect: GraphQLSchema): Promise<string> {
  const folder = new URL(`${name}/`, root)
  const documents = readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.graphql'))
    .sort()
    .map((location) => ({ location, document: parse(readFileSync(new URL(location, folder), 'utf8')) }))
  const { content } = await plugin(dialect, documents, CONFIG, { outputFile: '' })
  const rows = documents.flatMap(({ location, document }) =>
    document.definitions
      .filter((definition) => definition.kind === Kind.OPERATION_DEFINITION)
      .map((operation) => `  readonly '${basename(location, '.graphql')}': ${typeOf(operation)}\n`),
  )
  const table = `/** By the file name of the document. */\nexport interface Documents {\n${rows.join('')}}\n`
  return `${GENERATED} from the documents of ${name}/. Do not edit. */\n${EXACT}\n\n${content}\n\n${table}`
}

/** The plugin names types after operations: `query getRun` has `GetRunQuery` and `GetRunQueryVariables`. */
function typeOf({ name, operation }: OperationDefinitionNode): string {
  const type = [name?.value ?? '', operation].map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join('')
  return `{ readonly answer: ${type}; readonly variables: ${type}Variables }`
}
