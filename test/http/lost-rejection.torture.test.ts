/** A hub outlives a promise that fails while nobody waits for it. */
import { once } from 'node:events'
import { expect, it } from 'vitest'
import { kill, killableHub } from '../support/killable-hub.ts'

const { made, start } = killableHub()

/** A list in which an item breaks its type while the item before it waits, and fails later: graphql-js leaves the first one alone. */
const execution = `
  import { execute, parse, buildSchema } from '${import.meta.resolve('graphql')}'
  process.on('SIGUSR2', async () => {
    const schema = buildSchema('type Query { items: [Item!]! } type Item { late: Int! value: Int! }')
    const late = () => new Promise((_, fail) => setTimeout(() => fail(new Error('late')), 20))
    const rootValue = { items: [{ late, value: 1 }, { late: 1, value: 2 ** 40 }] }
    await execute({ schema, document: parse('{ items { late value } }'), rootValue })
    setTimeout(() => process.stdout.write('It is over.'), 100)
  })`

it('that an answer left behind', async () => {
  const hub = await start(made.url, ['--import', `data:text/javascript,${encodeURIComponent(execution)}`])
  const ended = once(hub, 'exit').then(() => 'ended')
  const over = new Promise((resolve) => {
    hub.stdout?.on('data', (text) => String(text).includes('It is over.') && resolve('over'))
  })
  hub.kill('SIGUSR2')
  expect(await Promise.race([over, ended])).toBe('over')
  expect((await fetch(`${made.url}/healthz`)).ok).toBe(true)
  await kill(hub)
})
