/**
 * A scene as bytes, to cross processes: the length of a JSON header (32 bits, little-endian), the header, then of each
 * mesh its positions and triangles as 32-bit numbers. Pure.
 */
import type { Lighting, RobotScene, SceneMesh } from './scene.ts'

/** Pictures of a model's cameras need its light; stills have their own. */
interface SentScene extends RobotScene {
  readonly lighting?: Lighting
}

interface Header extends Omit<SentScene, 'meshes'> {
  readonly meshes: readonly { readonly vertices: number; readonly triangles: number }[]
}

const WORD = 4

/** How many bytes the meshes take, which is all but a little of a scene. */
export function meshBytes(vertices: number, triangles: number): number {
  return 3 * (vertices + triangles) * WORD
}

/** The scene as one array of bytes. */
export function encodeScene({ meshes, ...scene }: SentScene): Uint8Array<ArrayBuffer> {
  const header: Header = { ...scene, meshes: meshes.map(sizesOf) }
  const text = new TextEncoder().encode(JSON.stringify(header))
  const start = padded(WORD + text.length)
  const length = header.meshes.reduce((sum, mesh) => sum + meshBytes(mesh.vertices, mesh.triangles), start)
  const bytes = new Uint8Array(length)
  new DataView(bytes.buffer).setUint32(0, text.length, true)
  bytes.set(text, WORD)
  let at = start
  for (const { positions, triangles } of meshes)
    for (const part of [positions, triangles]) {
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
  const meshes = header.meshes.map(({ vertices, triangles }) => {
    const positions = new Float32Array(buffer, at, 3 * vertices)
    const faces = new Uint32Array(buffer, at + positions.byteLength, 3 * triangles)
    at += meshBytes(vertices, triangles)
    return { positions, triangles: faces }
  })
  return { ...header, meshes }
}

const padded = (length: number) => Math.ceil(length / WORD) * WORD

const sizesOf = ({ positions, triangles }: SceneMesh) => ({
  vertices: positions.length / 3,
  triangles: triangles.length / 3,
})
