/**
 * Makes `node` in the scripts of package.json the Node that npm installed. Runs on the system Node, so it is plain
 * JavaScript.
 *
 *     node scripts/bring-node.js            prints one line if the hub cannot run here; writes lists that are stale
 *     node scripts/bring-node.js FILE ...   then runs FILE on that Node
 *
 * npm 10 links the programs of this platform's package and then, as it clears away the packages of the other platforms,
 * deletes what they would have linked: `node_modules/.bin/node` too, which has the same name in all of them. So the
 * link is made here where it is missing.
 */
import { spawnSync } from 'node:child_process'
import { existsSync, lstatSync, mkdirSync, readdirSync, readFileSync, statSync, symlinkSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'

const NEEDED_MAJOR = 24
const root = dirname(dirname(fileURLToPath(import.meta.url)))
const modules = join(root, 'node_modules')
const platform = `${process.platform}-${process.arch}`

const readJson = (file) => JSON.parse(readFileSync(file, 'utf8'))
const major = (version) => Number(/^v?(\d+)/.exec(version)?.[1])

/** The program of the package that npm installed for this platform, or null. */
function broughtNode() {
  for (const name of Object.keys(readJson(join(root, 'package.json')).optionalDependencies)) {
    const manifest = join(modules, name, 'package.json')
    if (!existsSync(manifest)) continue
    const { os, cpu, bin } = readJson(manifest)
    if (os !== process.platform || cpu !== process.arch) continue
    const program = join(modules, name, bin.node)
    if (existsSync(program)) return program
  }
  return null
}

/** A concurrent process may have created the link. */
function link(program) {
  const place = join(modules, '.bin', 'node')
  if (lstatSync(place, { throwIfNoEntry: false })) return
  mkdirSync(dirname(place), { recursive: true })
  try {
    symlinkSync(relative(dirname(place), program), place)
  } catch (error) {
    if (error.code !== 'EEXIST') throw error
  }
}

/** The Node for the hub: the one from npm, otherwise the system's if it is new enough, otherwise null. */
function nodeForHub() {
  const brought = broughtNode()
  if (brought === null) return major(process.version) >= NEEDED_MAJOR ? process.execPath : null
  link(brought)
  return brought
}

function whyNot() {
  const own = `this machine's is ${process.version}`
  if (!existsSync(modules)) return `The hub is not installed: run \`npm ci\` first.`
  const names = Object.keys(readJson(join(root, 'package.json')).optionalDependencies)
  const name = names.find((known) => known.endsWith(platform))
  if (name === undefined)
    return `The hub runs on Node ${NEEDED_MAJOR}, of which npm has no package for ${platform}; ${own}: install Node ${NEEDED_MAJOR} and run \`npm ci\` again.`
  return `The hub runs on Node ${NEEDED_MAJOR} and its package ${name} is not installed; ${own}: run \`npm ci\` without --omit=optional, or install Node ${NEEDED_MAJOR}.`
}

/**
 * Whether a file came or went where `scripts/codegen/lists.ts` looks since its lists were written, as by `git pull`: its
 * folder has the time of that.
 */
function mayHaveOldLists() {
  const changedMs = (path) => statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0
  const folders = ['schema', 'rest-compat', 'hf-compat'].map((name) => join(root, name)).filter(existsSync)
  const subjects = folders.flatMap((folder) =>
    readdirSync(folder, { withFileTypes: true })
      .filter((entry) => entry.isDirectory())
      .map(({ name }) => join(folder, name)),
  )
  const writtenMs = changedMs(join(modules, '.cache', 'hub-lists'))
  return [...folders, ...subjects].some((folder) => changedMs(folder) > writtenMs)
}

const node = nodeForHub()
const script = process.argv.slice(2)
if (node === null) {
  process.stderr.write(`${whyNot()}\n`)
  process.exitCode = 1
} else if (script.length > 0) {
  const { status, error } = spawnSync(node, script, { stdio: 'inherit' })
  if (error) process.stderr.write(`Node ${NEEDED_MAJOR} at ${node} does not run here (${error.message}).\n`)
  process.exitCode = status ?? 1
} else if (mayHaveOldLists()) {
  const { status } = spawnSync(node, [join(root, 'scripts/codegen/write-lists.ts')], { stdio: 'inherit' })
  process.exitCode = status ?? 1
}
