/** The pictures that a compiled model wraps around its visible shapes, and its sky. */
import type { SceneTexture, Wrap } from '../scene/scene.ts'
import { textureBytes } from '../scene/scene-bytes.ts'
import { numbers, pair } from './arrays.ts'
import type { LoadedMujoco, Model } from './mujoco.ts'
import { printedFlags } from './printed-flags.ts'

export interface SceneTextures {
  readonly textures: readonly SceneTexture[]
  /** What lies on shapes of a material; null for a plain one, and for one whose picture takes too much room. */
  wrapOf(material: number): Wrap | null
  /** Place in `textures`; null without a sky, or with one that was not asked for. */
  readonly sky: number | null
}

export interface WantedTextures {
  /** Of the shapes that are drawn. */
  readonly materials: Iterable<number>
  readonly sky: boolean
  /** Of all pixels together. */
  readonly maxBytes: number
}

/** Pixels along the longer side of what is kept: more is not seen, and takes the memory of a graphics card. */
const MOST_PIXELS = { flat: 1024, cube: 512, sky: 256 } as const

/** `mjtTexture` */
const [FLAT, CUBE, SKYBOX] = [0, 1, 2]

/** `mjtColorSpace` */
const SRGB = 2

/** Places of colour textures among those of a material (`mjtTextureRole`). */
const RGB = 1
const RGBA = 8

/** The texture that colours a material; -1 for none, and for no material. */
export function textureOf(model: Model, material: number): number {
  if (material < 0) return -1
  const textures = model.mat_texid as ArrayLike<number>
  const roles = textures.length / Math.max(1, model.nmat)
  const [first, second] = [RGB, RGBA].map((role) => textures[material * roles + role] ?? -1)
  return first !== undefined && first >= 0 ? first : (second ?? -1)
}

/** The first pictures that fit; shapes of the others have their mean colour. */
export function sceneTextures(
  { mujoco, files }: Pick<LoadedMujoco, 'mujoco' | 'files'>,
  model: Model,
  { materials, sky, maxBytes }: WantedTextures,
): SceneTextures {
  const textures: SceneTexture[] = []
  const places = new Map<number, number | null>()
  let room = maxBytes
  const placeOf = (texture: number, most: number): number | null => {
    const known = places.get(texture)
    if (known !== undefined) return known
    const size = keptSize(model, texture, most)
    const fits = size !== null && textureBytes(size) <= room
    if (fits) {
      room -= textureBytes(size)
      textures.push(read(model, texture, size))
    }
    const place = fits ? textures.length - 1 : null
    places.set(texture, place)
    return place
  }
  const types = numbers(model.tex_type)
  const wraps = new Map<number, Wrap>()
  const repeats = numbers(model.mat_texrepeat)
  for (const material of new Set(materials)) {
    const texture = textureOf(model, material)
    if (texture < 0 || types[texture] === SKYBOX) continue
    const place = placeOf(texture, types[texture] === FLAT ? MOST_PIXELS.flat : MOST_PIXELS.cube)
    if (place !== null) wraps.set(material, { texture: place, repeat: pair(repeats, material), uniform: false })
  }
  const uniform = wraps.size === 0 ? null : printedFlags(mujoco, files, model)('mat_texuniform', model.nmat)
  for (const [material, wrap] of wraps) wraps.set(material, { ...wrap, uniform: uniform?.[material] ?? false })
  const skybox = sky ? types.indexOf(SKYBOX ?? -1) : -1
  return {
    textures,
    wrapOf: (material) => wraps.get(material) ?? null,
    sky: skybox < 0 ? null : placeOf(skybox, MOST_PIXELS.sky),
  }
}

interface KeptSize {
  readonly width: number
  readonly height: number
  readonly isCube: boolean
  /** Pixels of the model along each side of one that is kept. */
  readonly step: number
}

/** Null for what MuJoCo's own renderer does not draw either, and for what is not there. */
function keptSize(model: Model, texture: number, most: number): KeptSize | null {
  const at = (values: ArrayLike<number>) => values[texture] ?? 0
  const [width, height] = [at(model.tex_width), at(model.tex_height)]
  const type = at(model.tex_type)
  const channels = at(model.tex_nchannel)
  const end = at(model.tex_adr) + width * height * channels
  if (width < 1 || height < 1 || (channels !== 3 && channels !== 4)) return null
  if (end > (model.tex_data as ArrayLike<number>).length) return null
  const isCube = type === CUBE || type === SKYBOX
  if (!isCube && type !== FLAT) return null
  if (isCube && height !== width && height !== 6 * width) return null
  const step = Math.ceil((isCube ? width : Math.max(width, height)) / most)
  const kept = Math.max(1, Math.floor(width / step))
  return { width: kept, height: isCube ? 6 * kept : Math.max(1, Math.floor(height / step)), isCube, step }
}

/** So many pixels along each side are looked at for one that is kept: a picture may have a billion. */
const LOOKED_AT = 4

/** Each pixel is the mean of those that it stands for. A cube of one square has it on each side. */
function read(model: Model, texture: number, { width, height, isCube, step }: KeptSize): SceneTexture {
  const at = (values: ArrayLike<number>) => values[texture] ?? 0
  // Each look at an array of the model makes one.
  const data = model.tex_data as ArrayLike<number>
  const [start, channels] = [at(model.tex_adr), at(model.tex_nchannel)]
  const across = at(model.tex_width)
  const isOneSquare = isCube && at(model.tex_height) === across
  const pixels = new Uint8Array(textureBytes({ width, height })).fill(255)
  const looked = Math.min(step, LOOKED_AT)
  const stride = step / looked
  for (let row = 0; row < height; row += 1) {
    // A square of a cube starts at its own row, also where its side is no multiple of the step.
    const square = isCube ? Math.floor(row / width) : 0
    const top = (isOneSquare ? 0 : square * across) + (row - square * width) * step
    for (let column = 0; column < width; column += 1) {
      const first = start + (top * across + column * step) * channels
      for (let channel = 0; channel < 3; channel += 1) {
        let sum = 0
        for (let y = 0; y < looked; y += 1)
          for (let x = 0; x < looked; x += 1)
            sum += data[first + (Math.floor(y * stride) * across + Math.floor(x * stride)) * channels + channel] ?? 0
        pixels[4 * (row * width + column) + channel] = Math.round(sum / looked ** 2)
      }
    }
  }
  return { width, height, isCube, isSrgb: at(model.tex_colorspace) === SRGB, pixels }
}
