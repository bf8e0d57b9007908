/** The documents of the routes, from the folders of their subjects, each with the fragments that it spreads. */
import { readdirSync, readFileSync } from 'node:fs'
import { basename } from 'node:path'

const folder = new URL('../', import.meta.url)

/** Reads the folders once. The reader throws for a name that is not there; a name is used once in all subjects. */
export function documentReader(): (name: string) => string {
  const texts = new Map<string, string>()
  const fragments = new Map<string, string>()
  for (const file of readdirSync(folder, { recursive: true, encoding: 'utf8' })) {
    if (!file.endsWith('.graphql')) continue
    const text = readFileSync(new URL(file, folder), 'utf8')
    const name = basename(file, '.graphql')
    if (texts.has(name)) throw new Error(`Two documents are named ${name}.graphql.`)
    texts.set(name, text)
    const fragment = /^\s*fragment\s+(\w+)\s+on\b/m.exec(text)?.[1]
    if (fragment) fragments.set(fragment, text)
  }
  return (name) => {
    const text = texts.get(name)
    if (text === undefined) throw new Error(`There is no document ${name}.graphql below rest-compat/.`)
    return withFragments(text, fragments)
  }
}

function withFragments(text: string, fragments: ReadonlyMap<string, string>): string {
  const used = new Map<string, string>()
  const collect = (part: string) => {
    for (const [, name = ''] of part.matchAll(/\.\.\.\s*(\w+)/g)) {
      const fragment = fragments.get(name)
      if (!fragment || used.has(name)) continue
      used.set(name, fragment)
      collect(fragment)
    }
  }
  collect(text)
  return [text, ...used.values()].join('\n')
}
