/** Reads the documents of a dialect from the folders of their subjects, each with the fragments it spreads. */
import { readdirSync, readFileSync } from 'node:fs'
import { basename } from 'node:path'
import { Kind, parse, visit } from 'graphql'

/** The text of `<name>.graphql`; throws for an unknown name. */
export type ReadDocument = (name: string) => string

/** Reads the folders below `folder` once. Names are unique across the subjects of a dialect. */
export function readDocuments(folder: URL): ReadDocument {
  const texts = new Map<string, string>()
  const fragments = new Map<string, string>()
  for (const file of readdirSync(folder, { recursive: true, encoding: 'utf8' })) {
    if (!file.endsWith('.graphql')) continue
    const text = readFileSync(new URL(file, folder), 'utf8')
    const name = basename(file, '.graphql')
    if (texts.has(name)) throw new Error(`Two documents are named ${name}.graphql.`)
    texts.set(name, text)
    for (const definition of parse(text, { noLocation: true }).definitions)
      if (definition.kind === Kind.FRAGMENT_DEFINITION) fragments.set(definition.name.value, text)
  }
  return (name) => {
    const text = texts.get(name)
    if (text === undefined) throw new Error(`There is no document ${name}.graphql below ${basename(folder.pathname)}/.`)
    return withFragments(text, fragments)
  }
}

/** The document with all fragments it spreads, directly or indirectly, each once. */
function withFragments(text: string, fragments: ReadonlyMap<string, string>): string {
  const used = new Map<string, string>()
  const collect = (part: string) => {
    visit(parse(part, { noLocation: true }), {
      FragmentSpread({ name: { value: name } }) {
        const fragment = fragments.get(name)
        if (!fragment || used.has(name)) return
        used.set(name, fragment)
        collect(fragment)
      },
    })
  }
  collect(text)
  return [text, ...used.values()].join('\n')
}
