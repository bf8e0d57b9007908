/**
 * `npm run schema:release`, when a version is released: what clients may rely on from then on is the graph as it is
 * now. Prints what it breaks.
 */
import { readFile, writeFile } from 'node:fs/promises'
import { buildSchema, findBreakingChanges } from 'graphql'

const folder = new URL('../schema/', import.meta.url)
const header =
  '# The graph of the last release. `npm run schema:release` writes it when a version is released; the tests ' +
  'compare it with schema.graphql. Do not edit.\n'

const read = (name: string) => readFile(new URL(name, folder), 'utf8')
const [now, before] = await Promise.all([read('schema.graphql'), read('released.graphql')])
for (const { description } of findBreakingChanges(buildSchema(before), buildSchema(now)))
  console.warn(`breaks: ${description}`)
await writeFile(new URL('released.graphql', folder), now.replace(/^#.*\n/, header))
