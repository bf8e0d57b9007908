/**
 * `npm run bench [-- NAME]`: processor time of one request, of the server and of its database, beside servers that do
 * the same without the hub's graph: by hand with every duty of the hub (`fair`), by hand with few (`bare`), and
 * PostGraphile over the same tables. All in turn in one run; a ratio of 1.00 means that the hub is as cheap, as median
 * and quartiles of the rounds.
 */
import { openLab } from './api-lab.ts'
import { rowsOf } from './api-rows.ts'
import { measureFanOut } from './fan-out.ts'
import { measure, tableHead } from './rounds.ts'

const lab = await openLab()
try {
  const only = process.argv[2]
  console.log(tableHead)
  for (const row of rowsOf(lab)) if (!only || row.name.includes(only)) await measure(lab, row)
  await measureFanOut(lab, only)
} finally {
  await lab.close()
}
process.exit(0)
