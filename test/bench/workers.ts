/**
 * `npm run bench:workers [-- NAME]`: processor time of the reads of the bench, of a hub with `WORKERS=2`, all its
 * processes together, beside one of one process, by turns in the same rounds, over one database. All are started as
 * `npm start` starts them, and asked from 8 connections.
 *
 * Two more tell what of the difference is what. `one, half`: the hub of one process, asked from 4 connections, as each
 * of two processes is: fewer requests come at a time. `two hubs`: two of one process on two ports, 4 connections each,
 * which share nothing: what any second process costs on the same cores. What the workers cost beside these is that they
 * share a port, limits and numbers.
 */
import { openLab } from './api-lab.ts'
import { rowsOf } from './api-rows.ts'
import { CONNECTIONS } from './api-seed.ts'
import { cells, costsOf, ratio } from './rounds.ts'

const [only] = process.argv.slice(2)
const WORKERS = 2
const GOAL = '1.10'
const lab = await openLab({ workers: WORKERS })
try {
  const heads = ['workers', 'one', 'two hubs'].map((name) => `${name}, server | database`).join(' | ')
  const ratios = ['workers / one', 'goal', 'one, half / one', 'two hubs / one', 'workers / two hubs']
  console.log(`| request | ${heads} | ${ratios.join(' | ')} |\n${'|---'.repeat(12)}|`)
  for (const { name, asks } of rowsOf(lab)) {
    const { hub: ask } = asks
    const isRead = typeof ask !== 'function' && (ask.body === undefined || ask.path === '/graphql')
    if (!isRead || (only && !name.includes(only))) continue
    const half = { ...ask, connections: CONNECTIONS / WORKERS }
    const costs = await costsOf(lab, { asks: { hub: ask, half, apart: ask, workers: ask } })
    const of = (server: 'hub' | 'half' | 'apart' | 'workers') => costs.get(server) ?? []
    const [one, apart, workers] = [of('hub'), of('apart'), of('workers')]
    const beside = [ratio(of('half'), one), ratio(apart, one), ratio(workers, apart)].join(' | ')
    const spent = [workers, one, apart].map(cells).join(' | ')
    console.log(`| ${name} | ${spent} | ${ratio(workers, one)} | ${GOAL} | ${beside} |`)
  }
} finally {
  await lab.close()
}
process.exit(0)
