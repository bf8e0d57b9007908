/** The documents of the routes, from `operations/`, each with the shared fragments that it spreads. */
import { readdirSync, readFileSync } from 'node:fs'

const folder = new URL('../operations/', import.meta.url)

/** Reads the folder once. The reader throws for a name that is not there. */
export function documentReader(): (name: string) => string {
  const texts = new Map<string, string>()
  const fragments = new Map<string, string>()
  for (const file of readdirSync(folder)) {
    if (!file.endsWith('.graphql')) continue
    const text = readFileSync(new URL(file, folder), 'utf8')
    texts.set(file.slice(0, -'.graphql'.length), text)
    const fragment = /^\s*fragment\s+(\w+)\s+on\b/m.exec(text)?.[1]
    if (fragment) fragments.set(fragment, text)
  }
  return (name) => {
    const text = texts.get(name)
    if (text === undefined) throw new Error(`There is no rest-compat/operations/${name}.graphql.`)
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
