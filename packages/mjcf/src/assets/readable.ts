/** Whether MuJoCo can read an asset file, judged by name and size. */
import { extensionOf } from '../paths.ts'
import type { AssetRef } from './asset-refs.ts'

interface Problem {
  readonly message: string
  readonly hint: string
}

const EMPTY_HINT = 'Upload the file again: it has no content.'
const POINTER_HINT = 'Fetch the file with git lfs pull, and upload that.'
const STL_HINT = 'Write it as a binary STL, or as OBJ.'
/** Bytes before the triangles of a binary STL, and bytes of each. */
const STL_HEADER = 84
const STL_TRIANGLE = 50
const STL_MAX_TRIANGLES = 200_000

/** Why MuJoCo cannot read the file at `path`, or null. The content of KTX files is not checked. */
export function problemOf(ref: AssetRef, path: string, size: number, isPointer: boolean): Problem | null {
  if (isPointer && !isKtx(ref, path)) {
    return { message: `${path} is a Git LFS pointer, not the file itself.`, hint: POINTER_HINT }
  }
  const problem = formatProblems[ref.kind](ref, path, size)
  if (problem) return problem
  return size === 0 ? { message: `${path} is empty.`, hint: EMPTY_HINT } : null
}

const formatProblems: Readonly<
  Record<AssetRef['kind'], (ref: AssetRef, path: string, size: number) => Problem | null>
> = { mesh: meshProblem, flexcomp: flexcompProblem, texture: textureProblem, hfield: hfieldProblem, skin: skinProblem }

/** A content type matters only for MuJoCo's own format; STL and OBJ are detected by extension. */
function meshProblem({ element }: AssetRef, path: string, size: number): Problem | null {
  const written = element.attributes.get('content_type') ?? ''
  const type = written === '' ? typeByExtension.get(extension(path)) : contentType(written)
  if (type === 'model/vnd.mujoco.msh') return sizeProblem(path, size, 16)
  return decodableProblem(path, size, 2)
}

function flexcompProblem({ element }: AssetRef, path: string, size: number): Problem | null {
  if (element.attributes.get('type') === 'gmsh') return null
  return decodableProblem(path, size, 1)
}

function decodableProblem(path: string, size: number, leastTriangles: number): Problem | null {
  if (extension(path) === '.obj') return null
  if (extension(path) === '.stl') return stlProblem(path, size, leastTriangles)
  const hint = 'Convert it to STL or OBJ, and name that file.'
  return { message: `MuJoCo has no decoder for the mesh ${path}.`, hint }
}

/**
 * The size of a binary STL follows from its triangles, which shows text STLs and Git LFS pointers. A mesh needs four
 * vertices, so two triangles.
 */
function stlProblem(path: string, size: number, leastTriangles: number): Problem | null {
  if (size === 0) return { message: `${path} is empty.`, hint: EMPTY_HINT }
  const triangles = (size - STL_HEADER) / STL_TRIANGLE
  if (!Number.isInteger(triangles) || triangles < 1) {
    return { message: `${path} has ${size} bytes, which is not a valid size of a binary STL.`, hint: STL_HINT }
  }
  if (triangles > STL_MAX_TRIANGLES) {
    const hint = 'Simplify the mesh, or split it.'
    return { message: `${path} has ${triangles} triangles; MuJoCo reads ${STL_MAX_TRIANGLES} at most.`, hint }
  }
  if (triangles < leastTriangles) {
    return {
      message: `${path} has ${triangles} triangle, too few for a mesh.`,
      hint: 'A mesh needs at least four vertices.',
    }
  }
  return null
}

const isKtx = ({ kind, element }: AssetRef, path: string) =>
  kind === 'texture' && assetType(element.attributes.get('content_type'), path) === 'image/ktx'

function textureProblem({ element }: AssetRef, path: string): Problem | null {
  const { attributes } = element
  const type = assetType(element.attributes.get('content_type'), path)
  if (type === 'image/png') return null
  if (type !== 'image/ktx') {
    const hint = 'Convert the image to PNG, and name that file.'
    return { message: `MuJoCo does not read the texture ${path}: it is not PNG.`, hint }
  }
  const hint = 'Use a PNG.'
  if (attributes.get('type') !== '2d') return { message: `${path} is KTX, which only a 2d texture can be.`, hint }
  const flipped = attributes.get('hflip') === 'true' || attributes.get('vflip') === 'true'
  return flipped ? { message: `${path} is KTX, which cannot be flipped.`, hint } : null
}

function hfieldProblem({ element }: AssetRef, path: string, size: number): Problem | null {
  const type = assetType(element.attributes.get('content_type'), path) || 'image/vnd.mujoco.hfield'
  if (type === 'image/png') return null
  const hint = 'Use a PNG, or MuJoCo’s binary height field.'
  if (type !== 'image/vnd.mujoco.hfield') return { message: `MuJoCo cannot read a height field from ${path}.`, hint }
  // Two sizes, then four bytes for each point.
  const points = (size - 8) / 4
  if (Number.isInteger(points) && points >= 1) return null
  return { message: `${path} has ${size} bytes, which is not a valid size of a binary height field.`, hint }
}

function skinProblem(_ref: AssetRef, path: string, size: number): Problem | null {
  if (extension(path) === '.skn') return sizeProblem(path, size, 16)
  return { message: `The skin ${path} is not of a type that MuJoCo reads.`, hint: 'Skins are .skn files.' }
}

function sizeProblem(path: string, size: number, least: number): Problem | null {
  if (size === 0 || size >= least) return null
  return { message: `${path} has ${size} bytes, too few for its header.`, hint: 'Upload the file again.' }
}

const typeByExtension = new Map([
  ['.stl', 'model/stl'],
  ['.obj', 'model/obj'],
  ['.ply', 'model/ply'],
  ['.msh', 'model/vnd.mujoco.msh'],
  ['.png', 'image/png'],
  ['.ktx', 'image/ktx'],
])

const extension = (path: string) => extensionOf(path).toLowerCase()

/** '' if neither determines it. An unreadable content type does not fall back to the extension. */
function assetType(written: string | undefined, path: string): string {
  return written ? contentType(written) : (typeByExtension.get(extension(path)) ?? '')
}

/** `type/subtype` of `type/subtype;parameter=value`, case kept; '' if it is invalid. */
function contentType(text: string): string {
  const slash = text.indexOf('/')
  const semicolon = text.indexOf(';')
  if (slash === -1 || slash === text.length - 1) return ''
  if (semicolon === -1) return text
  if (semicolon < slash || text.indexOf('=') < semicolon) return ''
  return text.slice(0, semicolon)
}
