/**
 * `npm run codegen` writes every file that is generated from folders or from the graph; `npm run generated:check` fails
 * where one of them is stale.
 */
import { stale, write } from './scripts/codegen/files.ts'
import { lists } from './scripts/codegen/lists.ts'
import { writeLists } from './scripts/codegen/write-lists.ts'

const isCheck = process.argv.includes('--check')
if (!isCheck) writeLists()
// The graph is what the lists say: an old one may name a file that is gone, and shows nothing of the others.
const oldLists = isCheck ? stale(lists) : []
if (oldLists.length > 0) {
  process.stderr.write(`Stale: ${oldLists.join(', ')}. Run \`npm run codegen\`.\n`)
  process.exit(1)
}
const { derived, reviewed } = await import('./scripts/codegen/generated-files.ts')
if (!isCheck) {
  write(reviewed)
  write(derived)
} else {
  const committed = stale(reviewed)
  const others = stale(derived)
  const told = [
    ...(committed.length > 0
      ? [`Stale: ${committed.join(', ')}. Run \`npm run codegen\`, review the diff and commit it.`]
      : []),
    ...(others.length > 0 ? [`Stale: ${others.join(', ')}. Run \`npm run codegen\`.`] : []),
  ]
  for (const line of told) process.stderr.write(`${line}\n`)
  if (told.length > 0) process.exitCode = 1
}
