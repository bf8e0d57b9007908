/** Moves parts of a generated model into files that it includes, also nested and in other folders. */

import type { Random } from '@hub/testing/random'
import type { Files } from './model.ts'
import { type Tag, tag, walk, written } from './tag.ts'

/** Takes runs of siblings out of `root` and puts includes in their place. */
export function splitIntoIncludes(root: Tag, files: Files, folder: string, random: Random): void {
  const count = random.int(1, 4)
  for (let i = 0; i < count; i++) {
    const parents = [...walk(root)].map(({ tag: found }) => found).filter(({ children }) => children.length > 0)
    if (parents.length === 0) return
    const parent = random.pick(parents)
    const from = random.int(0, parent.children.length - 1)
    const taken = parent.children.splice(from, random.int(1, 3))
    const inside = random.pick(['', '', 'inc/', 'inc/deep/'])
    const file = `${inside}part${i}.xml`
    const include = tag('include', { file: random.chance(0.9) ? file : `./${file}` })
    parent.children.splice(from, 0, include)
    if (random.chance(0.15)) viaAnother(include, files, folder, i, random)
    files[`${folder}${file}`] = written(tag(random.pick(['mujoco', 'mujocoinclude', 'default', 'x']), {}, taken))
  }
}

/** The file is included by a file that is included: found in the main folder, or next to the one that includes it. */
function viaAnother(include: Tag, files: Files, folder: string, index: number, random: Random): void {
  const file = include.attributes.file ?? ''
  const inside = file.includes('/') ? file.slice(0, file.lastIndexOf('/') + 1) : ''
  const middle = `${inside}middle${index}.xml`
  const asked = random.chance(0.5) ? file : file.slice(inside.length)
  files[`${folder}${middle.replace(/^\.\//, '')}`] = written(tag('mujoco', {}, [tag('include', { file: asked })]))
  include.attributes.file = middle
}
