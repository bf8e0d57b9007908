/**
 * `npm run bench:reads -- OTHER_CHECKOUT [NAME]`: processor time of the reads of the bench, or of what is named, writes
 * too, of the hub of this checkout and of that of another one, by turns in the same rounds, each over its own database
 * with the same rows. Above 1.00 this one is cheaper; two copies of one version show how far chance goes.
 */
import { openLab } from './api-lab.ts'
import { rowsOf } from './api-rows.ts'
import { measure, tableHead } from './rounds.ts'

const [other, only] = process.argv.slice(2)
if (!other)
  throw new Error('Name a checkout, with its packages installed: npm run bench:reads -- OTHER_CHECKOUT [NAME]')
const lab = await openLab({ other })
try {
  console.log(tableHead)
  for (const { name, asks } of rowsOf(lab)) {
    const { hub } = asks
    const isRead = typeof hub !== 'function' && (hub.body === undefined || hub.path === '/graphql')
    if (only ? name.includes(only) : isRead) await measure(lab, { name, asks: { hub, other: hub } })
  }
} finally {
  await lab.close()
}
process.exit(0)
