/** Generated URDF: trees of links with every type of joint. */

import type { Random } from '@hub/testing/random'
import { tetrahedron } from './asset-bytes.ts'
import type { Files } from './model.ts'
import { type Tag, tag } from './tag.ts'

const types = ['revolute', 'continuous', 'prismatic', 'fixed', 'planar', 'spherical', 'revolute', 'fixed', 'floating']

/** A robot of `count` links, the last of them named `tip`; mesh files that it needs go into `files`, below `folder`. */
export function urdf(random: Random, files: Files, folder: string, name: string, count: number): Tag {
  const names = Array.from({ length: count }, (_, i) => (i === 0 ? 'base' : i === count - 1 ? 'tip' : `link${i}`))
  const meshdir = random.chance(0.3) ? 'meshes' : undefined
  const links = names.map((linkName, i) =>
    link(random, linkName, i, (mesh) => `${folder}${meshdir ? 'meshes/' : ''}${mesh}`, files),
  )
  const joints = names.slice(1).map((child, i) => joint(random, i, names[random.int(0, i)] ?? 'base', child))
  const parts = random.chance(0.5) ? [...links, ...joints] : [...joints.reverse(), ...links]
  const ignored = random.chance(0.3) ? [tag('gazebo', {}, [tag('thing')]), tag('transmission', { name: 't' })] : []
  const compiler =
    meshdir !== undefined || random.chance(0.2)
      ? [tag('mujoco', {}, [tag('compiler', { meshdir, fusestatic: random.chance(0.3) ? 'false' : undefined })])]
      : []
  return tag('robot', { name }, [...compiler, ...parts, ...ignored])
}

function link(random: Random, name: string, index: number, at: (mesh: string) => string, files: Files): Tag {
  const children: Tag[] = [
    tag('inertial', {}, [
      tag('mass', { value: '1' }),
      tag('inertia', { ixx: '1', iyy: '1', izz: '1', ixy: '0', ixz: '0', iyz: '0' }),
    ]),
  ]
  if (random.chance(0.4)) children.push(tag('collision', {}, [tag('geometry', {}, [shape(random)])]))
  if (random.chance(0.3)) {
    const file = `${random.pick(['', 'sub/'])}l${random.chance(0.2) ? 0 : index}.stl`
    files[at(file)] = tetrahedron()
    children.push(tag('collision', {}, [tag('geometry', {}, [tag('mesh', { filename: file })])]))
  }
  // Thrown away by MuJoCo, so that its mesh need not be there.
  if (random.chance(0.3))
    children.push(tag('visual', {}, [tag('geometry', {}, [tag('mesh', { filename: `none${index}.stl` })])]))
  return tag('link', { name }, children)
}

function shape(random: Random): Tag {
  return random.pick([
    tag('box', { size: '.1 .2 .3' }),
    tag('sphere', { radius: '.1' }),
    tag('cylinder', { radius: '.1', length: '.5' }),
  ])
}

function joint(random: Random, index: number, parent: string, child: string): Tag {
  const type = random.pick(types)
  // A name that is taken makes the second joint unnamed.
  return tag('joint', { name: random.chance(0.05) ? 'j0' : `j${index}`, type }, [
    ...(random.chance(0.3) ? [tag('origin', { xyz: '0 0 .1', rpy: '0 0 1' })] : []),
    tag('parent', { link: parent }),
    tag('child', { link: child }),
    ...(random.chance(0.8) ? [tag('axis', { xyz: random.pick(['0 0 1', '1 0 0']) })] : []),
    ...(type === 'revolute' || type === 'prismatic'
      ? [tag('limit', { lower: '-1', upper: '1', effort: '1', velocity: '1' })]
      : []),
  ])
}
