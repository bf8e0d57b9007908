/**
 * A scene as bytes, to cross processes: the length of a JSON header (32 bits, little-endian), the header, then of each
 * mesh its positions, triangles and places in a picture as 32-bit numbers, then the pixels of each picture. Pure.
 */
import type { Lighting, RobotScene, SceneMesh, SceneTexture } from './scene.ts'

/** Pictures of a model's cameras need its light; stills have their own. */
interface SentScene extends RobotScene {
  readonly lighting?: Lighting
}

interface Header extends Omit<SentScene, 'meshes' | 'textures'> {
  readonly meshes: readonly { readonly vertices: number; readonly triangles: number; readonly isPlaced: boolean }[]
  readonly textures: readonly Omit<SceneTexture, 'pixels'>[]
}

const WORD = 4
const CHANNELS = 4

/** How many bytes a mesh takes. `isPlaced`: it says where its corners are in a picture. */
export function meshBytes(vertices: number, triangles: number, isPlaced: boolean): number {
  return 3 * (vertices + (isPlaced ? 3 : 1) * triangles) * WORD
}

/** How many bytes a picture takes. */
export const textureBytes = ({ width, height }: Pick<SceneTexture, 'width' | 'height'>): number =>
  width * height * CHANNELS

/** The scene as one array of bytes. */
export function encodeScene({ meshes, textures, ...scene }: SentScene): Uint8Array<ArrayBuffer> {
  const looks = textures.map(({ pixels: _, ...look }) => look)
  const header: Header = { ...scene, meshes: meshes.map(sizesOf), textures: looks }
  const text = new TextEncoder().encode(JSON.stringify(header))
  const start = padded(WORD + text.length)
  const parts = [
    ...meshes.flatMap(({ positions, triangles, texcoords }) => [
      positions,
      triangles,
      ...(texcoords ? [texcoords] : []),
    ]),
    ...textures.map(({ pixels }) => pixels),
  ]
  const bytes = new Uint8Array(parts.reduce((sum, { byteLength }) => sum + byteLength, start))
  new DataView(bytes.buffer).setUint32(0, text.length, true)
  bytes.set(text, WORD)
  let at = start
  for (const part of parts) {
    bytes.set(new Uint8Array(part.buffer, part.byteOffset, part.byteLength), at)
    at += part.byteLength
  }
  return bytes
}

/** Throws a `RangeError` or `SyntaxError` for bytes that are not a whole scene. */
export function decodeScene(bytes: Uint8Array<ArrayBuffer>): SentScene {
  // The arrays below need an aligned start.
  const { buffer } = bytes.byteOffset % WORD === 0 ? bytes : bytes.slice()
  const offset = bytes.byteOffset % WORD === 0 ? bytes.byteOffset : 0
  const headerLength = new DataView(buffer, offset).getUint32(0, true)
  const text = new Uint8Array(buffer, offset + WORD, headerLength)
  const header: Header = JSON.parse(new TextDecoder().decode(text))
  let at = offset + padded(WORD + headerLength)
  const next = (bytesOfPart: number) => {
    at += bytesOfPart
    return at - bytesOfPart
  }
  const meshes = header.meshes.map(({ vertices, triangles, isPlaced }) => ({
    positions: new Float32Array(buffer, next(3 * vertices * WORD), 3 * vertices),
    triangles: new Uint32Array(buffer, next(3 * triangles * WORD), 3 * triangles),
    texcoords: isPlaced ? new Float32Array(buffer, next(6 * triangles * WORD), 6 * triangles) : null,
  }))
  const textures = header.textures.map((look) => ({
    ...look,
    pixels: new Uint8Array(buffer, next(textureBytes(look)), textureBytes(look)),
  }))
  return { ...header, meshes, textures }
}

const padded = (length: number) => Math.ceil(length / WORD) * WORD

const sizesOf = ({ positions, triangles, texcoords }: SceneMesh) => ({
  vertices: positions.length / 3,
  triangles: triangles.length / 3,
  isPlaced: texcoords !== null,
})
