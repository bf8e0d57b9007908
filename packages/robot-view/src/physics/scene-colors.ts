/** The colour and surface of each geom of a compiled model. */
import type { SceneGeom } from '../scene/scene.ts'
import { numbers } from './arrays.ts'
import type { Model } from './mujoco.ts'
import { textureOf } from './scene-textures.ts'

export type Surface = Pick<SceneGeom, 'color' | 'roughness' | 'metalness' | 'emission'>

type Color = readonly [number, number, number, number]

/** Of a geom that says none; MuJoCo takes the material's instead. */
const isDefault = ([red, green, blue, opacity]: Color) => red === 0.5 && green === 0.5 && blue === 0.5 && opacity === 1

/** In MuJoCo, a number below 0 for what a material does not say. */
const said = (value: number | undefined, otherwise: number) =>
  value === undefined || !Number.isFinite(value) || value < 0 ? otherwise : Math.min(1, value)

const PLAIN: Omit<Surface, 'color'> = { roughness: 0.6, metalness: 0, emission: 0 }

/** In the order of the geoms. `isWrapped`: whether the picture of a material is drawn, which its mean stands for else. */
export function geomColors(model: Model, isWrapped: (material: number) => boolean): Surface[] {
  const own = numbers(model.geom_rgba)
  const materials = surfaces(model, isWrapped)
  return numbers(model.geom_matid).map((material, geom) => {
    const color = colorAt(own, geom)
    const surface = materials[material]
    if (!surface) return { ...PLAIN, color }
    return isDefault(color) ? surface : { ...surface, color }
  })
}

/** In the order of the geoms: 0 for one that is not seen. */
export function geomOpacities(model: Model): number[] {
  const [own, materials] = [numbers(model.geom_rgba), numbers(model.mat_rgba)]
  return numbers(model.geom_matid).map((material, geom) => {
    const color = colorAt(own, geom)
    return material >= 0 && isDefault(color) ? colorAt(materials, material)[3] : color[3]
  })
}

function surfaces(model: Model, isWrapped: (material: number) => boolean): Surface[] {
  const colors = numbers(model.mat_rgba)
  const [shininess, metallic] = [numbers(model.mat_shininess), numbers(model.mat_metallic)]
  const [roughness, emission] = [numbers(model.mat_roughness), numbers(model.mat_emission)]
  return Array.from({ length: model.nmat }, (_, at) => {
    const painted = isWrapped(at) ? WHITE : meanColor(model, textureOf(model, at))
    const [red, green, blue, opacity] = colorAt(colors, at)
    return {
      color: [red * painted[0], green * painted[1], blue * painted[2], opacity],
      roughness: said(roughness[at], 1 - 0.7 * said(shininess[at], 0.5)),
      metalness: said(metallic[at], 0),
      emission: said(emission[at], 0),
    }
  })
}

const WHITE: readonly [number, number, number] = [1, 1, 1]

/** So many pixels of a texture are looked at; a prime step meets every column. */
const LOOKED_AT = 4_096

/** The mean of a texture, in place of the picture. White for a texture that is not there. */
export function meanColor(model: Model, texture: number): readonly [number, number, number] {
  const channels = (model.tex_nchannel as ArrayLike<number>)[texture] ?? 0
  const width = (model.tex_width as ArrayLike<number>)[texture] ?? 0
  const height = (model.tex_height as ArrayLike<number>)[texture] ?? 0
  const start = (model.tex_adr as ArrayLike<number>)[texture] ?? 0
  const pixels = width * height
  if (texture < 0 || channels === 0 || pixels === 0) return WHITE
  const data = model.tex_data as ArrayLike<number>
  const step = pixels <= LOOKED_AT ? 1 : Math.floor(pixels / LOOKED_AT) | 1
  const sums: [number, number, number] = [0, 0, 0]
  let count = 0
  for (let pixel = 0; pixel < pixels; pixel += step) {
    for (const channel of [0, 1, 2] as const)
      sums[channel] += data[start + pixel * channels + Math.min(channel, channels - 1)] ?? 0
    count += 1
  }
  return [sums[0] / count / 255, sums[1] / count / 255, sums[2] / count / 255]
}

function colorAt(values: readonly number[], at: number): Color {
  const part = (offset: number) => said(values[4 * at + offset], 0)
  return [part(0), part(1), part(2), part(3)]
}
