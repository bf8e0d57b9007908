/**
 * Whether what `npm run prepare` made is of the tree as it is, which it is not after `git pull`. Runs on the system
 * Node, so it is plain JavaScript.
 *
 * Of each part the inputs are known with their times, and with the hash of their contents: where only times differ, as
 * after a checkout, nothing is made again.
 */
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

const NOTES = 'generated/.prepared.json'
const LOCK = 'generated/.preparing'
const WAIT_MS = 200
/** What is made of something, and so no input. */
const isMade = (path) => /(?:\.generated\.ts|\.graphql\.ts|\/v1\.ts|\/operation-lines\.ts)$/.test(path)

/**
 * What each part is made of: files, and folders with those of their files that have such a name. The documents have the
 * graph's reviewed texts as inputs, not its sources, which differ after every edit.
 */
const documents = [
  ['schema/schema.graphql'],
  ['rest-compat', /\.graphql$|openapi\.json$/],
  ['hf-compat', /\.graphql$/],
  ['web/src', /\.graphql$/],
  ['scripts/codegen', /\.ts$/],
]
const parts = {
  database: {
    from: [['prisma/schema', /\.prisma$/], ['scripts/codegen', /prisma-tables\.ts$/], ['prisma.config.ts']],
    makes: ['prisma/generated/client/client.ts', 'prisma/generated/tables.ts'],
  },
  documents: { from: documents, makes: ['packages/client/src/v1.ts', 'packages/client/src/operation-lines.ts'] },
  pages: {
    from: [
      ...documents,
      ['web', /./],
      ['src/http', /(?:docs|install-names)\.ts$/],
      ['packages', /\/src\/.*\.ts$|\/(?:package\.json|README\.md)$/],
      ['clients/python', /\.(?:py|md|toml)$|METADATA$/],
      [
        'scripts',
        /\/(?:web-pages|compress-files|built-once|scene-page|rest-pages|install-files)\.ts$|\/(?:install|pack)\//,
      ],
    ],
    makes: ['generated/web/index.html', 'generated/still-page.js', 'generated/install'],
  },
}

/** What commands need; a start, and the tests, need every part. */
export const ofCommands = ['database', 'documents']
export const ofStarts = Object.keys(parts)

/** Folders without inputs. */
const passedOver = ['node_modules', 'test', 'dist']

function filesBelow(root, folder, name) {
  return readdirSync(join(root, folder), { withFileTypes: true }).flatMap((entry) => {
    const path = `${folder}/${entry.name}`
    if (entry.isDirectory()) return passedOver.includes(entry.name) ? [] : filesBelow(root, path, name)
    return name.test(path) && !isMade(path) ? [path] : []
  })
}

function inputsOf(root, part) {
  const found = parts[part].from.filter(([path]) => existsSync(join(root, path)))
  return [...new Set(found.flatMap(([path, name]) => (name ? filesBelow(root, path, name) : [path])))].sort()
}

/** A digest of the inputs' sizes and times, and one of their contents. */
function stateOf(root, part) {
  const files = inputsOf(root, part)
  const digest = (of) => {
    const hash = createHash('sha256')
    for (const file of files) hash.update(`${file}\0`).update(of(join(root, file)))
    return hash.digest('hex')
  }
  const times = digest((path) => {
    const { size, mtimeMs } = statSync(path)
    return `${size} ${mtimeMs}\0`
  })
  return { times, contents: () => digest((path) => readFileSync(path)) }
}

/** The states of parts as they are now, to be noted when these are made. */
export const statesOf = (root, names) =>
  Object.fromEntries(
    names.map((name) => {
      const { times, contents } = stateOf(root, name)
      return [name, { times, contents: contents() }]
    }),
  )

function notesIn(root) {
  try {
    return JSON.parse(readFileSync(join(root, NOTES), 'utf8'))
  } catch {
    return {}
  }
}

/** Notes that parts were made of these states. A tree that cannot be written keeps what it was delivered with. */
export function noteMade(root, states) {
  const file = join(root, NOTES)
  try {
    mkdirSync(dirname(file), { recursive: true })
    // Another process may read it meanwhile.
    writeFileSync(`${file}.${process.pid}`, JSON.stringify({ ...notesIn(root), ...states }))
    renameSync(`${file}.${process.pid}`, file)
  } catch {}
}

/** Which of these parts are missing, or made of other files. */
export function oldParts(root, names) {
  const notes = notesIn(root)
  return names.filter((name) => {
    if (!parts[name].makes.every((file) => existsSync(join(root, file)))) return true
    const { times, contents } = stateOf(root, name)
    if (notes[name]?.times === times) return false
    const now = { times, contents: contents() }
    if (notes[name]?.contents !== now.contents) return true
    noteMade(root, { [name]: now })
    return false
  })
}

const isAlive = (pid) => {
  try {
    return process.kill(pid, 0)
  } catch (error) {
    return error.code === 'EPERM'
  }
}

function hasDiedOwner(file) {
  try {
    const owner = Number(readFileSync(file, 'utf8'))
    return owner > 0 && !isAlive(owner)
  } catch {
    // It has just ended.
    return false
  }
}

/**
 * Waits until no other process makes parts of this tree, and keeps them from it meanwhile; one that died does not
 * count.
 */
export function alone(root, work) {
  const file = join(root, LOCK)
  mkdirSync(dirname(file), { recursive: true })
  for (;;) {
    try {
      writeFileSync(file, `${process.pid}`, { flag: 'wx' })
      break
    } catch (error) {
      if (error.code !== 'EEXIST') throw error
      if (hasDiedOwner(file)) rmSync(file, { force: true })
      else Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, WAIT_MS)
    }
  }
  try {
    return work()
  } finally {
    rmSync(file, { force: true })
  }
}
