/**
 * `npm run bench:workers [-- NAME]`: processor time of the reads of the bench, of a hub with `WORKERS=2`, all its
 * processes together, beside one of one process, by turns in the same rounds, over one database. Both are started as
 * `npm start` starts them. 1.00: two processes spend on a read what one does.
 */
import { openLab } from './api-lab.ts'
import { rowsOf } from './api-rows.ts'
import { measure, tableHead } from './rounds.ts'

const [only] = process.argv.slice(2)
const GOAL = 1.1
const lab = await openLab({ workers: 2 })
try {
  console.log(tableHead)
  for (const { name, asks } of rowsOf(lab)) {
    const { hub } = asks
    const isRead = typeof hub !== 'function' && (hub.body === undefined || hub.path === '/graphql')
    if (isRead && (!only || name.includes(only)))
      await measure(lab, { name, asks: { hub, workers: hub }, goal: ['workers', GOAL] })
  }
} finally {
  await lab.close()
}
process.exit(0)
