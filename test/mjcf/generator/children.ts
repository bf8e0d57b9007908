/** Made-up models to be attached: MJCF or URDF, in a folder of their own or beside the parent. */
import { type Files, modelTag } from './model.ts'
import type { Random } from './random.ts'
import { type Tag, tag, written } from './tag.ts'

export interface ChildModel {
  /** The asset that loads it. */
  readonly tag: Tag
  /** The name that an attach refers to. */
  readonly name: string
  readonly bodies: string[]
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
    files[`${folder}${file}`] = urdf(random, name)
    return { tag: tag('model', { name, file }), name, bodies: ['tip'] }
  }
  const { root, bodies } = modelTag(random, files, { depth: depth + 1, folder: `${folder}${inside}`, sizes: null })
  const file = `${inside}${name}.xml`
  files[`${folder}${file}`] = written(root)
  if (random.chance(0.3)) return { tag: tag('model', { file }), name: root.attributes.model ?? 'MuJoCo Model', bodies }
  return { tag: tag('model', { name, file }), name, bodies }
}

/** A chain of three links. */
export function urdf(random: Random, name: string): string {
  const inertial = tag('inertial', {}, [
    tag('mass', { value: '1' }),
    tag('inertia', { ixx: '1', iyy: '1', izz: '1', ixy: '0', ixz: '0', iyz: '0' }),
  ])
  const link = (linkName: string) => tag('link', { name: linkName }, [inertial])
  const joint = (jointName: string, parent: string, child: string) => {
    const type = random.pick(['revolute', 'continuous', 'prismatic', 'fixed', 'planar', 'spherical'])
    return tag('joint', { name: jointName, type }, [
      tag('parent', { link: parent }),
      tag('child', { link: child }),
      tag('axis', { xyz: '0 0 1' }),
      ...(type === 'revolute' || type === 'prismatic'
        ? [tag('limit', { lower: '-1', upper: '1', effort: '1', velocity: '1' })]
        : []),
    ])
  }
  const parts = [link('base'), link('arm'), link('tip'), joint('shoulder', 'base', 'arm'), joint('elbow', 'arm', 'tip')]
  return written(tag('robot', { name }, random.chance(0.5) ? parts : parts.reverse()))
}
