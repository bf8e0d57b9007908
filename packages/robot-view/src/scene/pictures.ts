/** The pictures of a scene as three.js wraps them around shapes. */
import {
  CubeTexture,
  DataTexture,
  LinearFilter,
  LinearMipmapLinearFilter,
  type Material,
  NoColorSpace,
  RepeatWrapping,
  SRGBColorSpace,
  type Texture,
  Vector3,
} from 'three'
import { pictureFit } from './picture-places.ts'
import type { RobotScene, SceneGeom, SceneTexture } from './scene.ts'

/** How a finish takes the numbers of a picture. */
export interface PictureLook {
  /** What black becomes, 0 to 1. */
  readonly darkest: number
  /** Whether all pictures are of sRGB; else those that say so. */
  readonly isSrgb: boolean
}

export interface Pictures {
  /** The flat picture of a shape, in its place; null for a shape without one. */
  flatOf(geom: SceneGeom): Texture | null
  isCube(geom: SceneGeom): boolean
  /** Wraps the cube of a shape around it, if it has one. */
  wrapCube(material: Material, geom: SceneGeom): void
}

/** Nothing is made before it is asked for. */
export function picturesOf({ textures, meshes }: Pick<RobotScene, 'textures' | 'meshes'>, look: PictureLook): Pictures {
  const made = new Map<number, Texture>()
  const pictureAt = (place: number, texture: SceneTexture) => {
    const found = made.get(place) ?? (texture.isCube ? cube(texture, look) : flat(texture, look))
    made.set(place, found)
    return found
  }
  const pictureOf = ({ wrap }: SceneGeom) => {
    const texture = wrap === null ? undefined : textures[wrap.texture]
    return wrap && texture ? { isCube: texture.isCube, picture: pictureAt(wrap.texture, texture) } : null
  }
  return {
    isCube: ({ wrap }) => wrap !== null && textures[wrap.texture]?.isCube === true,
    flatOf(geom) {
      const found = pictureOf(geom)
      if (!found || found.isCube) return null
      const { scale, shift } = pictureFit(geom, geom.mesh === null ? null : (meshes[geom.mesh] ?? null))
      // The card holds the pixels of all of them once.
      const placed = found.picture.clone()
      placed.repeat.set(...scale)
      placed.offset.set(shift, shift)
      return placed
    },
    wrapCube(material, geom) {
      const found = pictureOf(geom)
      if (found?.isCube) wrap(material, found.picture, cubeScale(geom))
    },
  }
}

/** A cube of a scene, for its sky. */
export const cubeOf = (texture: SceneTexture, look: PictureLook): CubeTexture => cube(texture, look)

function flat(texture: SceneTexture, look: PictureLook): DataTexture {
  const picture = smooth(new DataTexture(pixelsOf(texture, look), texture.width, texture.height))
  picture.wrapS = RepeatWrapping
  picture.wrapT = RepeatWrapping
  return colored(picture, texture, look)
}

function cube(texture: SceneTexture, look: PictureLook): CubeTexture {
  const pixels = pixelsOf(texture, look)
  const bytes = pixels.length / 6
  const sides = Array.from({ length: 6 }, (_, side) => {
    const square = new DataTexture(pixels.subarray(side * bytes, (side + 1) * bytes), texture.width, texture.width)
    square.needsUpdate = true
    return square
  })
  // The package's types know pictures of a page alone; its renderer takes these too.
  const picture = smooth(new CubeTexture(sides as unknown as HTMLImageElement[]))
  return colored(picture, texture, look)
}

function smooth<Picture extends Texture>(picture: Picture): Picture {
  picture.generateMipmaps = true
  picture.minFilter = LinearMipmapLinearFilter
  picture.magFilter = LinearFilter
  return picture
}

function colored<Picture extends Texture>(picture: Picture, { isSrgb }: SceneTexture, look: PictureLook): Picture {
  picture.colorSpace = look.isSrgb || isSrgb ? SRGBColorSpace : NoColorSpace
  picture.needsUpdate = true
  return picture
}

function pixelsOf({ pixels }: SceneTexture, { darkest }: PictureLook): Uint8Array<ArrayBuffer> {
  return darkest === 0 ? pixels : pixels.map((part) => Math.round(255 * darkest + (1 - darkest) * part))
}

/** From metres to what a cube is looked up by: a direction in the shape as it is, or in one of unit size. */
function cubeScale({ shape, size: [a, b, c], wrap }: SceneGeom): Vector3 {
  const isUniform = wrap?.uniform === true
  if (shape === 'mesh' || shape === 'hfield') return isUniform ? new Vector3(a, b, c) : new Vector3(1, 1, 1)
  if (isUniform) return new Vector3(1, 1, 1)
  const over = (length: number) => 1 / (length > 0 ? length : 1)
  if (shape === 'sphere') return new Vector3(over(a), over(a), over(a))
  if (shape === 'capsule' || shape === 'cylinder') return new Vector3(over(a), over(a), over(b))
  return new Vector3(over(a), over(b), over(c))
}

const CUBE_COLOR = `vec3 wrapColor = textureCube(wrapCube, wrapAt).rgb;
  diffuseColor.rgb *= wrapColor;
  totalEmissiveRadiance *= wrapColor;`

/** No material of three.js has a cube as its own color: two lines of its program do it. */
function wrap(material: Material, picture: Texture, scale: Vector3): void {
  material.userData.picture = picture
  material.customProgramCacheKey = () => 'cube around a shape'
  material.onBeforeCompile = (program) => {
    program.uniforms.wrapCube = { value: picture }
    program.uniforms.wrapScale = { value: scale }
    program.vertexShader = program.vertexShader
      .replace('#include <common>', '#include <common>\nuniform vec3 wrapScale;\nvarying vec3 wrapAt;')
      .replace('#include <begin_vertex>', '#include <begin_vertex>\nwrapAt = position * wrapScale;')
    program.fragmentShader = program.fragmentShader
      .replace('#include <common>', '#include <common>\nuniform samplerCube wrapCube;\nvarying vec3 wrapAt;')
      .replace('#include <map_fragment>', CUBE_COLOR)
  }
}
