/** Generated models: one file or several, about two thirds of them models that MuJoCo accepts. */

import { type Random, randomFrom } from '@hub/testing/random'
import type { OracleCase } from '../oracle/judgement.ts'
import { type AssetFolders, assets } from './assets.ts'
import { type ChildModel, childModel } from './children.ts'
import { defaults } from './defaults.ts'
import { flawed } from './flaws.ts'
import { splitIntoIncludes } from './includes.ts'
import { keyframes, type Sizes } from './keyframes.ts'
import type { Names } from './names.ts'
import { referrers } from './referrers.ts'
import { type Tag, tag, written } from './tag.ts'
import { type TreeSettings, worldChildren } from './tree.ts'
import { urdf } from './urdf.ts'

export type Files = Record<string, string | Uint8Array>

interface Wanted {
  readonly depth: number
  /** Folder that the model lies in, with a trailing slash, or empty. */
  readonly folder: string
  readonly sizes: Sizes | null
}

/**
 * The model of a seed. `sizes`, those of the same model generated without them, let keyframes have the right lengths.
 */
export function modelOf(seed: number, sizes: Sizes | null = null): OracleCase {
  const random = randomFrom(seed)
  const flaws = random.fork()
  const splits = random.fork()
  const files: Files = {}
  const folder = random.chance(0.3) ? 'robot/' : ''
  const asUrdf = random.chance(0.08)
  const root = asUrdf
    ? urdf(random, files, folder, 'robot', random.int(1, 8))
    : modelTag(random, files, { depth: 0, folder, sizes }).root
  const entry = `${folder}${asUrdf && random.chance(0.8) ? 'main.urdf' : 'main.xml'}`
  if (flaws.chance(0.25)) flawed(root, files, flaws)
  if (!asUrdf && splits.chance(0.5)) splitIntoIncludes(root, files, folder, splits)
  files[entry] = written(root)
  return { files, entry }
}

/** One model, and what others can attach of it. Its asset files go into `files`. */
export function modelTag(
  random: Random,
  files: Files,
  wanted: Wanted,
): { root: Tag; bodies: string[]; frames: string[] } {
  const names: Names = { random: random.fork(), known: new Map() }
  const { sections, classes } = defaults(random.fork())
  const made = assets(random.fork(), files, wanted.folder)
  const children: ChildModel[] = []
  if (wanted.depth < 2 && random.chance(wanted.depth === 0 ? 0.3 : 0.15)) {
    const count = random.int(1, 2)
    for (let i = 0; i < count; i++) children.push(childModel(random.fork(), files, wanted, i))
  }
  let attached = 0
  const settings: TreeSettings = {
    names,
    classes,
    meshes: made.meshes,
    materials: made.materials,
    bodiesLeft: wanted.depth === 0 ? 10 : 5,
    attach() {
      if (children.length === 0) return null
      const child = names.random.pick(children)
      const whole = child.bodies.length === 0 || names.random.chance(0.3)
      const part = child.frames.length > 0 && names.random.chance(0.2) ? 'frame' : 'body'
      const prefix = names.random.chance(0.9) ? `${names.random.pick(['L', 'R/', 'a-'])}${attached++}` : ''
      return tag('attach', {
        model: child.name,
        [part]: whole ? undefined : names.random.pick(part === 'frame' ? child.frames : child.bodies),
        prefix,
      })
    },
  }
  const worlds = [tag('worldbody', {}, worldChildren(settings))]
  if (random.chance(0.1)) worlds.push(tag('worldbody', {}, worldChildren(settings)))
  const bodies = (names.known.get('body') ?? []).slice()
  if (bodies.length > 0 && random.chance(0.08)) {
    const prefix = random.pick(['copy-', 'x'])
    worlds.push(tag('worldbody', {}, [tag('attach', { body: random.pick(bodies), prefix })]))
  }
  const parts = [
    ...compilers(random.fork(), made.folders),
    ...(random.chance(0.05) ? [tag('size', { nkey: String(random.int(1, 5)) })] : []),
    ...sections,
    ...(made.assets.length + children.length > 0
      ? [tag('asset', {}, [...made.assets, ...children.map((c) => c.tag)])]
      : []),
    ...worlds,
    ...referrers({ random: random.fork(), known: names.known }, classes),
    ...keyframes({ random: random.fork(), known: names.known }, wanted.sizes),
  ]
  return {
    root: tag('mujoco', { model: random.chance(0.8) ? `model ${wanted.depth}` : undefined }, shuffled(random, parts)),
    bodies,
    frames: names.known.get('frame') ?? [],
  }
}

function compilers(random: Random, folders: AssetFolders): Tag[] {
  const compiler = tag('compiler', {
    ...folders,
    angle: random.chance(0.3) ? random.pick(['radian', 'degree']) : undefined,
    autolimits: random.chance(0.03) ? 'false' : undefined,
    fusestatic: random.chance(0.1) ? 'true' : undefined,
    discardvisual: random.chance(0.05) ? 'true' : undefined,
    eulerseq: random.chance(0.05) ? 'zyx' : undefined,
    strippath: random.chance(0.05) ? 'true' : undefined,
  })
  return Object.keys(compiler.attributes).length > 0 ? [compiler] : []
}

/** Sections may stand in any order; most people keep the usual one. */
function shuffled(random: Random, parts: Tag[]): Tag[] {
  if (random.chance(0.7)) return parts
  const moved = [...parts]
  for (let i = 0; i < 3; i++) {
    const [part] = moved.splice(random.int(0, moved.length - 1), 1)
    if (part) moved.splice(random.int(0, moved.length), 0, part)
  }
  return moved
}
