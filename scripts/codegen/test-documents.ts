/**
 * The types of what the documents in the tests select, by their text: a test that reads a field that it does not
 * select, or that does not exist, does not compile.
 */
import { plugin, type TypeScriptDocumentsPluginConfig } from '@graphql-codegen/typescript-operations'
import { type DocumentNode, type GraphQLSchema, Kind, validate, visit } from 'graphql'
import { GENERATED } from './marker.ts'
import { foundDocuments } from './test-texts.ts'

const CONFIG: TypeScriptDocumentsPluginConfig = {
  scalars: { ID: 'string', DateTime: 'string', SafeInt: 'number', JSON: 'unknown' },
  noExport: true,
  immutableTypes: true,
  disableDescriptions: true,
}

/**
 * The module, by its path; none where there are no tests, as in an image. Of documents with holes or fragments nothing
 * is known.
 */
export async function testDocuments(schema: GraphQLSchema): Promise<Record<string, string>> {
  const texts = new Map(
    foundDocuments()
      .filter(
        ({ isLiteral, document }) => isLiteral && isOneOperation(document) && validate(schema, document).length === 0,
      )
      .map(({ text, document }) => [text, document]),
  )
  if (texts.size === 0) return {}
  const types = new Set<string>()
  const rows: string[] = []
  for (const [text, document] of [...texts].sort()) {
    const name = `Document${rows.length}`
    const { content } = await plugin(schema, [{ location: name, document: named(document, name) }], CONFIG, {
      outputFile: '',
    })
    // Enums and inputs that several use are declared once; variables are not needed.
    for (const declaration of content.split(/\n(?=(?:export )?type )/))
      if (!/^(?:export )?type \w+Variables\b/.test(declaration.trim())) types.add(declaration.trim())
    rows.push(`  readonly ${JSON.stringify(text)}: ${name}${kindOf(document)}\n`)
  }
  const table = `/** By the text of the document. */\nexport interface TestDocuments {\n${rows.join('')}}\n`
  return {
    'test/support/documents.generated.ts': `${GENERATED} from the documents in the tests. Do not edit. */\n\n${[...types].join('\n\n')}\n\n${table}`,
  }
}

const isOneOperation = ({ definitions }: DocumentNode) =>
  definitions.length === 1 && definitions[0]?.kind === Kind.OPERATION_DEFINITION

/** The plugin names types after operations. */
const named = (document: DocumentNode, name: string): DocumentNode =>
  visit(document, { OperationDefinition: (node) => ({ ...node, name: { kind: Kind.NAME, value: name } }) })

function kindOf({ definitions: [operation] }: DocumentNode): string {
  const kind = operation?.kind === Kind.OPERATION_DEFINITION ? operation.operation : ''
  return kind.charAt(0).toUpperCase() + kind.slice(1)
}
