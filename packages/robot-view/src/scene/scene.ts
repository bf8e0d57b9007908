/**
 * A robot as a picture needs it, in plain data: what each body looks like, and where it is at one pose. Lengths are m,
 * the z axis points up. It holds no names and no text of a model, only numbers.
 */

export type Vector = readonly [number, number, number]

/** x, y, z, w. */
export type Quaternion = readonly [number, number, number, number]

/** Position and orientation of the inner frame in the outer one. */
export interface Frame {
  readonly position: Vector
  readonly quaternion: Quaternion
}

/** In the frame of the world. Body 0 is the world itself. */
export interface SceneBody extends Frame {
  readonly parent: number
}

export const shapes = ['plane', 'hfield', 'sphere', 'capsule', 'ellipsoid', 'cylinder', 'box', 'mesh'] as const
export type Shape = (typeof shapes)[number]

/** One visible shape, in the frame of its body. */
export interface SceneGeom extends Frame {
  readonly body: number
  readonly shape: Shape
  /** As MuJoCo has them: radius and half lengths. A plane without a length is endless. */
  readonly size: Vector
  /** Place in `meshes`; null but for `mesh` and `hfield`. */
  readonly mesh: number | null
  /** What is wrapped around it, which its colour tints; null for a plain surface. */
  readonly wrap: Wrap | null
  /** Red, green, blue (sRGB) and opacity, each 0 to 1. */
  readonly color: readonly [number, number, number, number]
  readonly roughness: number
  readonly metalness: number
  /** How much of its own colour it emits, 0 to 1. */
  readonly emission: number
}

/** How a picture lies on a shape, in the words of a material of MuJoCo. */
export interface Wrap {
  /** Place in `textures`. */
  readonly texture: number
  /** How often, along each direction of a flat picture. 0 is once, where the shape says where its points are. */
  readonly repeat: readonly [number, number]
  /** By lengths in the place of the size of the shape. */
  readonly uniform: boolean
}

/** A picture, its rows from the top. */
export interface SceneTexture {
  readonly width: number
  /** Of a cube six times the width: its squares of +x, -x, +y, -y, +z and -z, one below the other. */
  readonly height: number
  readonly isCube: boolean
  /** Its numbers are of sRGB, and count as light after its curve; else they count as they are. */
  readonly isSrgb: boolean
  /** Red, green, blue and opacity of each pixel; all of them are opaque. */
  readonly pixels: Uint8Array<ArrayBuffer>
}

export interface SceneMesh {
  /** x, y, z of each vertex. */
  readonly positions: Float32Array<ArrayBuffer>
  /** Three vertices each, counter-clockwise as seen from outside. */
  readonly triangles: Uint32Array<ArrayBuffer>
  /** Where each corner of each triangle is in a picture, from its left and its top; null where the file says none. */
  readonly texcoords: Float32Array<ArrayBuffer> | null
}

export interface RobotScene {
  /** Parents come before their children. */
  readonly bodies: readonly SceneBody[]
  readonly geoms: readonly SceneGeom[]
  readonly meshes: readonly SceneMesh[]
  readonly textures: readonly SceneTexture[]
}

/** A camera of a model. */
export interface CameraFacts {
  readonly name: string | null
  /** Degrees from the bottom of its picture to the top. */
  readonly field_of_view: number
  /** Pixels, where the model says them. */
  readonly resolution: readonly [number, number] | null
  /** Things that are far look small; an orthographic camera has none. */
  readonly perspective: boolean
}

/** A lamp of a model, in the frame of its body. */
export interface Lamp {
  readonly kind: 'spot' | 'directional' | 'point'
  readonly body: number
  readonly position: Vector
  readonly direction: Vector
  readonly color: Vector
  /** Of a spot: degrees from its middle to its edge. */
  readonly cutoff: number
}

/** How the cameras of a model see it. Colors are red, green and blue, each 0 to 1, and count as MuJoCo adds them. */
export interface Lighting {
  /** From all sides. */
  readonly ambient: Vector
  /** From the camera, wherever it is. */
  readonly headlight: Vector
  readonly lamps: readonly Lamp[]
  /** Behind everything, where there is no sky. */
  readonly backdrop: Vector
  /** Place in `textures` of the cube that is behind everything. */
  readonly sky: number | null
  /** Of a camera, in m. */
  readonly near: number
  readonly far: number
}

/** A scene with its own light: all that the cameras of a model see. */
export interface LitScene extends RobotScene {
  readonly lighting: Lighting
}

/** A lit scene with what MuJoCo collides next to what is seen. */
export interface LayeredScene extends LitScene {
  /** Shapes that touch others. A mesh is its convex hull: MuJoCo collides that. */
  readonly collision: readonly SceneGeom[]
}
