/**
 * What surfaces are made of: glossy ones that reflect a room, or dull ones for a machine that draws by its processor.
 */
import {
  Color,
  DoubleSide,
  FrontSide,
  HemisphereLight,
  type Material,
  MeshLambertMaterial,
  MeshStandardMaterial,
  SRGBColorSpace,
  type Texture,
} from 'three'
import type { PictureLook } from './pictures.ts'
import type { SceneGeom } from './scene.ts'

export interface Finish {
  /** What a shape is made of. `map`: the flat picture around it, which its colour tints. */
  of(geom: SceneGeom, map: Texture | null): Material
  /** Null for one that covers pictures. */
  readonly pictures: PictureLook | null
}

/** Black shows no shape, and less of it where nothing is reflected. */
const DARKEST = { glossy: 0.12, dull: 0.28 } as const

/** Both sides: meshes of robots are often open, or turned inside out. */
function common({ color: [red, green, blue, opacity], emission }: SceneGeom, map: Texture | null, darkest: number) {
  const [r, g, b] = [red, green, blue].map((part) => darkest + (1 - darkest) * part)
  const color = new Color().setRGB(r ?? 0, g ?? 0, b ?? 0, SRGBColorSpace)
  return {
    color,
    emissive: color,
    emissiveIntensity: emission,
    transparent: opacity < 1,
    opacity,
    depthWrite: opacity > 0.5,
    side: DoubleSide,
    ...pictured(map),
  } as const
}

/** What shines by itself shines in the colours of its picture. */
const pictured = (map: Texture | null) => (map ? { map, emissiveMap: map } : {})

export const glossy: Finish = {
  of: (geom, map) =>
    new MeshStandardMaterial({
      ...common(geom, map, DARKEST.glossy),
      roughness: geom.roughness,
      metalness: geom.metalness,
    }),
  pictures: { darkest: DARKEST.glossy, isSrgb: true },
}

/**
 * A picture of these costs the processor a third of one of glossy surfaces, and the reflected room is not drawn at all,
 * which takes it five seconds.
 */
export const dull: Finish = {
  of: (geom, map) => new MeshLambertMaterial(common(geom, map, DARKEST.dull)),
  pictures: { darkest: DARKEST.dull, isSrgb: true },
}

/**
 * As the cameras of a model see it: its numbers of a color as they are, from outside alone, so that a camera sees out
 * of its own housing.
 */
export const plain: Finish = {
  of({ color: [red, green, blue, opacity], emission }, map) {
    const color = new Color().setRGB(red, green, blue)
    return new MeshLambertMaterial({
      ...{ color, emissive: color, emissiveIntensity: emission, ...pictured(map) },
      ...{ transparent: opacity < 1, opacity, depthWrite: opacity > 0.5, side: FrontSide },
    })
  },
  pictures: { darkest: 0, isSrgb: false },
}

/** The shapes that MuJoCo collides, in one colour over the robot. */
export const coat = (isGlossy: boolean): Finish => thin(isGlossy, 0xe8590c, 0.5)

/** The robot at a second pose, in one colour that is seen through. */
export const veil = (isGlossy: boolean): Finish => thin(isGlossy, 0x1c7ed6, 0.4)

function thin(isGlossy: boolean, color: number, opacity: number): Finish {
  const look = {
    color,
    transparent: true,
    opacity,
    depthWrite: false,
    // Many are the visual mesh again: they are drawn before it, not through it.
    polygonOffset: true,
    polygonOffsetFactor: -2,
    polygonOffsetUnits: -2,
    side: DoubleSide,
  } as const
  const made = isGlossy ? new MeshStandardMaterial({ ...look, roughness: 0.8 }) : new MeshLambertMaterial(look)
  return { of: () => made, pictures: null }
}

/** Light from all sides, in place of a room: brighter from above. */
export function skylight(): HemisphereLight {
  const light = new HemisphereLight(0xffffff, 0x8d949e, 1.6)
  light.position.set(0, 0, 1)
  return light
}
