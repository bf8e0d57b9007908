/** Assets: meshes, textures, materials, height fields, skins, models. */
import { within } from './element-checks.ts'
import { row } from './row.ts'
import { builtinMesh, differentKeys, elevation, gridLayout, hullVertices, textureOrLayers } from './section-checks.ts'

const CONFIG = row(`key! value!`)

/** A plugin used by an object; MuJoCo requires both members of `config` when it reads it. */
export const PLUGIN = row(`plugin instance`, { config: CONFIG }, [], [differentKeys])

export const EXTENSION = row('', {
  plugin: row(`plugin!`, { instance: row(`name!`, { config: CONFIG }, [], [differentKeys]) }),
})

/** Without attributes that a default class cannot set. */
const meshDefaults = `scale=real[3] maxhullvert=whole inertia=<meshInertia>`

const MESH = row(
  `name class content_type file vertex=float[] normal=float[] texcoord=float[] face=int[] refpos=real[3]
  refquat=real[4] smoothnormal=bool
  builtin=<meshBuiltin> params material ${meshDefaults}`,
  { plugin: PLUGIN },
  ['exclusive builtin file', 'exclusive builtin vertex'],
  [hullVertices, builtinMesh],
)

const materialDefaults = `texture texrepeat=float[2] texuniform=bool emission=float specular=float shininess=float
  reflectance=float metallic=float
  roughness=float rgba=float[4]`

const LAYER = row(`texture! role=<textureRole>!`)

const MATERIAL = row(`name class ${materialDefaults}`, { layer: LAYER }, [], [textureOrLayers])

export const SKIN = row(
  `name file material rgba=float[4] inflate=float vertex=float[] texcoord=float[] face=int[] group=whole`,
  { bone: row(`body! bindpos=float[3]! bindquat=float[4]! vertid=int[]! vertweight=float[]!`) },
  [],
  [within('group', 0, 5)],
)

const HFIELD = row(`name content_type file nrow=int ncol=int size=real[4]! elevation`, {}, [], [elevation])

const TEXTURE = row(
  `name type=<textureType> colorspace=<colorspace> content_type file gridsize=int[2] gridlayout=chars[1-12] fileright
  fileleft fileup filedown
  filefront fileback builtin=<textureBuiltin> rgb1=real[3] rgb2=real[3] mark=<mark> markrgb=real[3] random=real
  width=int height=int hflip=bool
  vflip=bool nchannel=int`,
  {},
  [],
  [gridLayout],
)

export const ASSET = row('', {
  mesh: MESH,
  hfield: HFIELD,
  skin: SKIN,
  texture: TEXTURE,
  material: MATERIAL,
  model: row(`name file content_type`),
})

export const MESH_DEFAULT = row(meshDefaults, {}, [], [hullVertices])
export const MATERIAL_DEFAULT = row(materialDefaults, { layer: LAYER }, [], [textureOrLayers])
