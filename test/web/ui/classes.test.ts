/** Classes of the pages: each has a rule, in a style sheet that the page loads whichever page was open before. */
import { globSync, readFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { expect, it } from 'vitest'

const root = join(import.meta.dirname, '../../../web/src')
const filesOf = (pattern: string) =>
  globSync(pattern, { cwd: root }).map((path) => [path, readFileSync(join(root, path), 'utf8')] as const)

/** Style sheets that have a rule for a class. */
const sheets = new Map<string, string[]>()
for (const [path, text] of filesOf('**/*.css'))
  for (const name of new Set([...text.matchAll(/\.([a-z][a-z0-9-]*)/g)].map(([, found = '']) => found)))
    sheets.set(name, [...(sheets.get(name) ?? []), path])

/** Those of every page, those of its own subject, and those that it imports itself. */
function isLoadedBy(file: string, text: string, sheet: string): boolean {
  if (/^(?:ui|app)\//.test(sheet)) return true
  const [, subject] = /^(pages\/[^/]+)\//.exec(file) ?? []
  if (subject && sheet.startsWith(`${subject}/`)) return true
  return [...text.matchAll(/^import '(.+\.css)'$/gm)].some(
    ([, from = '']) => relative(root, join(root, dirname(file), from)) === sheet,
  )
}

it('have a rule in a style sheet that their page loads', () => {
  const without = filesOf('{pages,ui,app}/**/*.tsx').flatMap(([file, text]) =>
    [...text.matchAll(/className="([^"]+)"/g)]
      .flatMap(([, names = '']) => names.split(/\s+/))
      .filter((name) => !sheets.get(name)?.some((sheet) => isLoadedBy(file, text, sheet)))
      .map((name) => `${name} in ${file}`),
  )
  expect(without).toEqual([])
})
