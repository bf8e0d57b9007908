/** Generated models to be attached: MJCF or URDF, in a folder of their own or next to the parent. */

import type { Random } from '@hub/testing/random'
import { type Files, modelTag } from './model.ts'
import { type Tag, tag, written } from './tag.ts'
import { urdf } from './urdf.ts'

export interface ChildModel {
  /** The asset that loads it. */
  readonly tag: Tag
  /** The name that an attach refers to. */
  readonly name: string
  readonly bodies: string[]
  readonly frames: string[]
}

/** A child of a model that lies in `folder`; its files go into `files`. */
export function childModel(
  random: Random,
  files: Files,
  { depth, folder }: { depth: number; folder: string },
  index: number,
): ChildModel {
  const name = `child${depth}${index}`
  const inside = random.chance(0.5) ? `parts${depth}/` : ''
  if (random.chance(0.15)) {
    const file = `${inside}${name}.urdf`
    files[`${folder}${file}`] = written(urdf(random, files, `${folder}${inside}`, name, 3))
    return { tag: tag('model', { name, file }), name, bodies: ['tip'], frames: [] }
  }
  const { root, bodies, frames } = modelTag(random, files, {
    depth: depth + 1,
    folder: `${folder}${inside}`,
    sizes: null,
  })
  const file = `${inside}${name}.xml`
  files[`${folder}${file}`] = written(root)
  if (random.chance(0.3))
    return { tag: tag('model', { file }), name: root.attributes.model ?? 'MuJoCo Model', bodies, frames }
  return { tag: tag('model', { name, file }), name, bodies, frames }
}
