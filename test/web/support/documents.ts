/** The documents of the pages, as the browser sends them. */
import { globSync } from 'node:fs'
import { join } from 'node:path'
import { type DocumentNode, Kind, type OperationDefinitionNode, parse, print } from 'graphql'

const root = join(import.meta.dirname, '../../..')

export interface PageDocument {
  readonly name: string
  /** The generated module. */
  readonly file: string
  readonly operation: OperationDefinitionNode
  readonly text: string
  readonly document: DocumentNode
}

export async function pageDocuments(): Promise<readonly PageDocument[]> {
  const found: PageDocument[] = []
  for (const file of globSync('web/src/**/*.graphql.ts', { cwd: root }).sort())
    for (const made of Object.values((await import(join(root, file))) as Record<string, DocumentNode>)) {
      const text = print(made)
      const document = parse(text)
      const operation = document.definitions.find((one) => one.kind === Kind.OPERATION_DEFINITION)
      if (operation) found.push({ name: operation.name?.value ?? '', file, operation, text, document })
    }
  return found
}
