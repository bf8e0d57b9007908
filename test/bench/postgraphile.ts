/**
 * PostGraphile over the tables of a bench, started as a process that sends its address. It is not a dependency of the hub:
 * the first bench installs it beside the compiled modules, the later ones find it there.
 */
import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'

const VERSION = '5.1.5'
const home = fileURLToPath(new URL(`../../node_modules/.cache/bench/postgraphile-${VERSION}`, import.meta.url))

if (!existsSync(join(home, 'node_modules/postgraphile'))) {
  process.stderr.write(`installing PostGraphile ${VERSION} once\n`)
  mkdirSync(home, { recursive: true })
  writeFileSync(join(home, 'package.json'), '{ "private": true, "type": "module" }')
  execFileSync(
    'npm',
    ['install', '--no-audit', '--no-fund', '--loglevel=error', '--save-exact', `postgraphile@${VERSION}`],
    {
      cwd: home,
      stdio: ['ignore', 'ignore', 'inherit'],
    },
  )
}
const { resolve } = createRequire(join(home, 'package.json'))
const load = async (name: string) => await import(pathToFileURL(resolve(name)).href)

const url = process.env.DATABASE_URL
const [{ postgraphile }, { PostGraphileAmberPreset }, { makePgService }, { grafserv }] = await Promise.all(
  ['postgraphile', 'postgraphile/presets/amber', 'postgraphile/adaptors/pg', 'postgraphile/grafserv/node'].map(load),
)
const server = createServer()
const instance = postgraphile({
  extends: [PostGraphileAmberPreset],
  pgServices: [makePgService({ connectionString: url, schemas: ['public'] })],
  grafserv: { graphiql: false, watch: false },
})
const serving = instance.createServ(grafserv)
await serving.addTo(server)
server.listen(0, '127.0.0.1', () => {
  const address = server.address()
  const port = typeof address === 'object' && address ? address.port : 0
  process.send?.({ url: `http://127.0.0.1:${port}` })
})
process.on('SIGTERM', () => process.exit(0))
