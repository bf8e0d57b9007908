/** `npm run codegen` writes every file that is generated from the graph; `npm run generated:check` fails where one of them is stale. */
import { derived, reviewed, stale, write } from './scripts/codegen/generated-files.ts'

if (!process.argv.includes('--check')) {
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
