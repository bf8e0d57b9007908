/**
 * Makes `node` in the scripts of package.json the Node that npm installed. Runs on the system Node, so it is plain
 * JavaScript.
 *
 *     node scripts/bring-node.js            prints one line if the hub cannot run here; makes again what is of another
 *                                           version of the tree, as after `git pull`: lists, the database's client
 *     node scripts/bring-node.js --pages    the pages too
 *     node scripts/bring-node.js --all      makes everything, as after `npm ci`
 *     node scripts/bring-node.js FILE ...   runs FILE on that Node
 *
 * npm 10 links the programs of this platform's package and then, as it clears away the packages of the other platforms,
 * deletes what they would have linked: `node_modules/.bin/node` too, which has the same name in all of them. So the
 * link is made here where it is missing.
 */
import { spawnSync } from 'node:child_process'
import {
  accessSync,
  constants,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
} from 'node:fs'
import { delimiter, dirname, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { otherPackages } from './installed-packages.js'
import { alone, noteMade, ofCommands, ofStarts, oldParts, statesOf } from './prepared.js'

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

/** Runs a file on this Node, with the programs of the packages, as npm does; its exit code. */
function run(node, args, stdio = 'inherit') {
  const { PATH = '' } = process.env
  const env = { ...process.env, PATH: `${join(modules, '.bin')}${delimiter}${PATH}` }
  const { status, error } = spawnSync(node, args, { stdio, env })
  if (error) process.stderr.write(`Node ${NEEDED_MAJOR} at ${node} does not run here (${error.message}).\n`)
  return status ?? 1
}

/** Without the development packages nothing is made, and a tree that cannot be written has what it came with. */
function canMake() {
  try {
    accessSync(root, constants.W_OK)
    return existsSync(join(modules, 'prisma-cli/package.json'))
  } catch {
    return false
  }
}

/** What is written meanwhile is noted as it was before. Standard output is for what the command itself says. */
function make(node, names) {
  const states = statesOf(root, names)
  const status = run(node, [join(root, 'scripts/prepare.ts'), ...names], ['inherit', 2, 2])
  if (status === 0) noteMade(root, states)
  return status
}

function makeOld(node, wanted) {
  const old = oldParts(root, wanted)
  if (old.length === 0) return 0
  process.stderr.write(`The tree has changed; making these parts again (npm run prepare): ${old.join(', ')} …\n`)
  const status = make(node, old)
  if (status !== 0)
    process.stderr.write('They could not be made: run `npm ci`, which brings the packages of this version.\n')
  return status
}

function bringUpToDate(node, wanted) {
  const status = mayHaveOldLists() ? run(node, [join(root, 'scripts/codegen/write-lists.ts')]) : 0
  if (status !== 0 || !canMake() || oldParts(root, wanted).length === 0) return status
  return alone(root, () => makeOld(node, wanted))
}

const node = nodeForHub()
const [first, ...rest] = process.argv.slice(2)
if (node === null) {
  process.stderr.write(`${whyNot()}\n`)
  process.exitCode = 1
} else if (first === undefined) process.exitCode = bringUpToDate(node, ofCommands)
else if (first === '--pages') {
  process.stderr.write(otherPackages(root) ?? '')
  process.exitCode = bringUpToDate(node, ofStarts)
} else if (first === '--all') process.exitCode = canMake() ? alone(root, () => make(node, ofStarts)) : make(node, [])
else process.exitCode = run(node, [first, ...rest])
