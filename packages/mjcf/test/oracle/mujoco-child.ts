/** The child process: one instance of MuJoCo, one model per message. A crash ends it, and the parent starts another. */
import loadMujoco from '@mujoco/mujoco'
import type { CompiledModel, Judgement, OracleCase } from './judgement.ts'

const silent = { print: () => {}, printErr: () => {} }
const mujoco = await loadMujoco(silent)
// Declared as nothing in particular by the package; these are the parts of Emscripten's file system in use.
const fs = (mujoco as unknown as { FS: FileSystem }).FS

interface FileSystem {
  open(path: string, ...rest: unknown[]): unknown
  mkdirTree(path: string): void
  writeFile(path: string, data: string | Uint8Array): void
  unlink(path: string): void
}

type Model = ReturnType<typeof mujoco.MjModel.from_xml_path>

let opened = new Set<string>()
const openFile = fs.open
fs.open = (path, ...rest) => {
  opened.add(path)
  return openFile.call(fs, path, ...rest)
}

const jointTypes = ['free', 'ball', 'slide', 'hinge'] as const
let cases = 0

// All else that is thrown comes from a module that has lost its footing, perhaps models ago.
const refusal = /^MuJoCo Error\b/

function judge({ files, entry }: OracleCase): { judgement: Judgement; crashed: boolean } {
  // A folder of its own for each: MuJoCo keeps decoded assets by path and time, at a resolution of seconds.
  const folder = `/case-${cases++}`
  const paths = Object.keys(files).map((path) => `${folder}/${path}`)
  for (const [path, data] of Object.entries(files)) {
    fs.mkdirTree(`${folder}/${path}`.replace(/\/[^/]*$/, ''))
    fs.writeFile(`${folder}/${path}`, data)
  }
  opened = new Set()
  try {
    const model = mujoco.MjModel.from_xml_path(`${folder}/${entry}`)
    const compiled = compiledModel(model, filesRead(folder, files))
    model.delete()
    return { judgement: { verdict: 'compiles', compiled }, crashed: false }
  } catch (error) {
    if (!(error instanceof Error) || !refusal.test(error.message)) {
      return { judgement: { verdict: 'none', reason: String(error) }, crashed: true }
    }
    return { judgement: { verdict: 'refused', error: error.message }, crashed: false }
  } finally {
    for (const path of paths) fs.unlink(path)
  }
}

function filesRead(folder: string, files: OracleCase['files']): string[] {
  const read = new Set([...opened].map((path) => textual(path).slice(folder.length + 1)))
  return Object.keys(files)
    .filter((path) => read.has(path))
    .sort()
}

function textual(path: string): string {
  const parts: string[] = []
  for (const part of path.split('/')) {
    if (part === '..') parts.pop()
    else if (part !== '' && part !== '.') parts.push(part)
  }
  return `/${parts.join('/')}`
}

function compiledModel(model: Model, files: string[]): CompiledModel {
  const bytes = Uint8Array.from(model.names as ArrayLike<number>)
  const nameAt = (at: number) => new TextDecoder().decode(bytes.subarray(at, bytes.indexOf(0, at)))
  const named = (addresses: Iterable<number>) => [...addresses].map((at) => nameAt(at) || null)
  const present = (addresses: Iterable<number>) => named(addresses).filter((name) => name !== null)
  const bodies = named(model.name_bodyadr)
  const parents = [...(model.body_parentid as Iterable<number>)]
  const rootIds = parents.flatMap((parent, body) => (parent === 0 && body > 0 ? [body] : []))
  const jointNames = named(model.name_jntadr)
  const jointBodies = [...(model.jnt_bodyid as Iterable<number>)]
  const types = [...(model.jnt_type as Iterable<number>)].map((type) => jointTypes[type] ?? 'hinge')
  const roots = rootIds.map((body) => ({
    name: bodies[body] ?? null,
    floating: types.some((type, joint) => type === 'free' && jointBodies[joint] === body),
  }))
  const rootOf = (body: number): number => (parents[body] === 0 ? rootIds.indexOf(body) : rootOf(parents[body] ?? 0))
  return {
    model: nameAt(0),
    joints: types.map((type, joint) => ({
      name: jointNames[joint] ?? null,
      type,
      root: rootOf(jointBodies[joint] ?? 0),
    })),
    roots,
    base: roots.some(({ floating }) => floating) ? 'floating' : 'fixed',
    keyframes: named(model.name_keyadr),
    names: {
      bodies: bodies.slice(1).filter((name) => name !== null),
      sites: present(model.name_siteadr),
      cameras: present(model.name_camadr),
      actuators: present(model.name_actuatoradr),
    },
    sizes: { nq: model.nq, nv: model.nv, nu: model.nu, na: model.na },
    files,
  }
}

process.on('message', (asked: OracleCase) => {
  const { judgement, crashed } = judge(asked)
  process.send?.(judgement, () => crashed && process.exit(1))
})
process.send?.('ready')
