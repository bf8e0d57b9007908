/** Generated assets and the files they need, in folders that the compiler's settings name. */

import type { Random } from '@hub/testing/random'
import { greyPng, tetrahedron } from './asset-bytes.ts'
import type { Files } from './model.ts'
import { type Tag, tag } from './tag.ts'

export interface AssetFolders {
  readonly assetdir: string | undefined
  readonly meshdir: string | undefined
  readonly texturedir: string | undefined
}

export interface MadeAssets {
  readonly assets: Tag[]
  readonly meshes: string[]
  readonly materials: string[]
  readonly folders: AssetFolders
}

/** Assets of a model in `folder`; their files go into `files`. */
export function assets(random: Random, files: Files, folder: string): MadeAssets {
  const folderOrNone = (p: number) => (random.chance(p) ? random.pick(['meshes', 'a/b', './m', '']) : undefined)
  const folders = { assetdir: folderOrNone(0.15), meshdir: folderOrNone(0.3), texturedir: folderOrNone(0.15) }
  const meshFolder = folders.meshdir ?? folders.assetdir ?? ''
  const textureFolder = folders.texturedir ?? folders.assetdir ?? ''
  const at = (dir: string, file: string) => normal(`${folder}${dir}/${file}`)
  const made: MadeAssets = { assets: [], meshes: [], materials: [], folders }
  const count = random.pick([0, 0, 1, 2, 3])
  for (let i = 0; i < count; i++) {
    const name = `mesh${i}`
    const file = `${random.pick(['', '', 'sub/', './', 'x/../'])}m${i}${random.pick(['.stl', '.STL'])}`
    files[at(meshFolder, file)] = tetrahedron()
    const named = random.chance(0.6)
    made.assets.push(
      tag('mesh', { name: named ? name : undefined, file, scale: random.chance(0.2) ? '1 1 2' : undefined }),
    )
    made.meshes.push(named ? name : `m${i}`)
  }
  if (random.chance(0.1)) {
    made.assets.push(tag('mesh', { name: 'inline', vertex: '0 0 0 1 0 0 0 1 0 0 0 1' }))
    made.meshes.push('inline')
  }
  if (random.chance(0.3)) made.assets.push(...texture(random, files, (file) => at(textureFolder, file)))
  if (random.chance(0.3)) {
    const textured = made.assets.find(({ name, attributes }) => name === 'texture' && attributes.name)
    made.assets.push(tag('material', { name: 'paint', texture: textured?.attributes.name, rgba: '1 1 0 1' }))
    made.materials.push('paint')
  }
  if (random.chance(0.1)) {
    files[at(meshFolder, 'h.png')] = greyPng(4, 4)
    made.assets.push(tag('hfield', { name: 'hills', file: 'h.png', size: '1 1 1 .1' }))
  }
  return made
}

function texture(random: Random, files: Files, at: (file: string) => string): Tag[] {
  const kind = random.int(0, 3)
  if (kind === 0) return [tag('texture', { name: 'sky', type: 'skybox', builtin: 'gradient', width: '8', height: '8' })]
  if (kind === 1) {
    const sides = ['fileright', 'fileleft', 'fileup', 'filedown', 'filefront', 'fileback'].filter(() =>
      random.chance(0.8),
    )
    for (const side of sides) files[at(`${side}.png`)] = greyPng(4, 4)
    if (sides.length === 0) return []
    return [
      tag('texture', { name: 'cube', type: 'cube', ...Object.fromEntries(sides.map((side) => [side, `${side}.png`])) }),
    ]
  }
  files[at('t.png')] = greyPng(4, 4)
  return [tag('texture', { name: kind === 2 ? 'wood' : undefined, type: '2d', file: 't.png' })]
}

function normal(path: string): string {
  const parts: string[] = []
  for (const part of path.split('/')) {
    if (part === '..') parts.pop()
    else if (part !== '' && part !== '.') parts.push(part)
  }
  return parts.join('/')
}
