/** Reads the documents of a dialect from the folders of their subjects, each with the fragments it spreads. */
import { readdirSync, readFileSync } from 'node:fs'
import { basename } from 'node:path'
import { type DefinitionNode, type DocumentNode, Kind, parse, visit } from 'graphql'

/** `<name>.graphql` and all fragments that it spreads; throws for an unknown name. */
export type ReadDocument = (name: string) => DocumentNode

/** Definitions of one file, and which fragments they spread. */
interface DocumentFile {
  readonly definitions: readonly DefinitionNode[]
  readonly spreads: ReadonlySet<string>
}

/** Reads and parses each file below `folder` once. Names are unique across the subjects of a dialect. */
export function readDocuments(folder: URL): ReadDocument {
  const files = new Map<string, DocumentFile>()
  const fragments = new Map<string, DocumentFile>()
  for (const path of readdirSync(folder, { recursive: true, encoding: 'utf8' })) {
    if (!path.endsWith('.graphql')) continue
    const name = basename(path, '.graphql')
    if (files.has(name)) throw new Error(`Two documents are named ${name}.graphql.`)
    const file = documentFile(readFileSync(new URL(path, folder), 'utf8'))
    files.set(name, file)
    for (const definition of file.definitions)
      if (definition.kind === Kind.FRAGMENT_DEFINITION) fragments.set(definition.name.value, file)
  }
  return (name) => {
    const file = files.get(name)
    if (!file) throw new Error(`There is no document ${name}.graphql below ${basename(folder.pathname)}/.`)
    return withFragments(file, fragments)
  }
}

function documentFile(text: string): DocumentFile {
  const document = parse(text, { noLocation: true })
  const spreads = new Set<string>()
  visit(document, { FragmentSpread: ({ name }) => void spreads.add(name.value) })
  return { definitions: document.definitions, spreads }
}

/** The file with those of all fragments it spreads, directly or indirectly, each once. */
function withFragments(file: DocumentFile, fragments: ReadonlyMap<string, DocumentFile>): DocumentNode {
  // The set grows during the loop.
  const used = new Set([file])
  for (const { spreads } of used)
    for (const name of spreads) {
      const fragment = fragments.get(name)
      if (fragment) used.add(fragment)
    }
  return { kind: Kind.DOCUMENT, definitions: [...used].flatMap(({ definitions }) => definitions) }
}
