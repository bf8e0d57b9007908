import { CUBE_FILES } from '../assets/asset-refs.ts'
import type { Spec, SpecObject } from '../compose/types.ts'
import type { XmlElement } from '../xml/element.ts'
import { alone, countIn, isLong, numberOf, numbersIn, textOf, vectorOf, within } from './fields.ts'
import { checkMesh } from './meshes.ts'
import type { Report } from './report.ts'
import { checkInherited, checkLasting } from './visuals.ts'

/** Checks the parts of assets that are written in the model itself. Their files are checked in `assets/`. */
export function checkAssets(spec: Spec, report: Report): void {
  for (const hfield of spec.of('hfield')) checkHfield(hfield, report)
  for (const mesh of spec.of('mesh')) checkMesh(mesh, report)
  for (const texture of spec.of('texture')) {
    if (!spec.compiler.discardvisual) checkTexture(texture, report)
  }
  for (const material of spec.of('material')) checkMaterial(spec, material, report)
  for (const skin of spec.of('skin')) checkSkin(spec, skin, report)
}

function checkHfield(hfield: SpecObject, report: Report): void {
  const own = alone(hfield.element)
  if (vectorOf(own, 'size', [0, 0, 0, 0]).some((value) => value <= 0)) {
    report.refused(hfield, 'size', 'has a size that is not positive')
  }
  const [nrow, ncol] = [numberOf(own, 'nrow', 0), numberOf(own, 'ncol', 0)]
  const file = hfield.element.attributes.get('file')
  // If there is a file, it determines rows and columns, whatever the model says.
  if (file !== undefined && file !== '') return
  if (nrow < 1 || ncol < 1 || file !== undefined) {
    report.refused(hfield, 'data', 'has no file, and no nrow and ncol')
  }
}

function checkTexture(texture: SpecObject, report: Report): void {
  const own = alone(texture.element)
  const flat = textOf(own, 'type', 'cube') === '2d'
  const filled = (name: string) => textOf(own, name, '') !== ''
  if (textOf(own, 'builtin', 'none') !== 'none') {
    if (numberOf(own, 'width', 0) < 1) report.refused(texture, 'width', 'is builtin and has no positive width')
    else if (flat && numberOf(own, 'height', 0) < 1)
      report.refused(texture, 'height', 'is builtin and 2d and has no positive height')
  } else if (!filled('file')) {
    if (flat) report.refused(texture, 'file', 'is 2d and has no file and no builtin')
    else if (!CUBE_FILES.some(filled)) report.refused(texture, 'file', 'has no file and no builtin')
  } else if (!flat) {
    const [rows = 1, columns = 1] = vectorOf(own, 'gridsize', [1, 1])
    if (rows < 1 || columns < 1 || rows * columns > 12) {
      report.refused(texture, 'gridsize', `has the gridsize ${rows} ${columns}; it is 1 to 12 squares`)
    }
  }
}

function checkMaterial(spec: Spec, material: SpecObject, report: Report): void {
  if (spec.compiler.discardvisual) return
  report.optional(material, 'texture', 'texture', material.ref('texture'))
  checkInherited(spec, material, 'texture', report)
  for (const { element, name } of material.parts) report.optional(within(material, element), 'texture', 'texture', name)
}

function checkSkin(spec: Spec, skin: SpecObject, report: Report): void {
  checkLasting(spec, skin, 'material', report)
  if (skin.made) return
  const { element } = skin
  if ((element.attributes.get('file') ?? '') !== '') {
    const extra =
      ['vertex', 'texcoord', 'face'].some((name) => element.attributes.has(name)) || element.children.length > 0
    if (extra) report.refused(skin, 'data', 'has both a file and data of its own')
    return
  }
  const counts = ['vertex', 'face'].map((name) => countIn(element.attributes.get(name)))
  const bones = element.children.filter(({ name }) => name === 'bone')
  if (counts.includes(0) || bones.length === 0) report.refused(skin, 'data', 'lacks a vertex, face or bone')
  else if (counts.some((count) => count % 3 !== 0))
    report.refused(skin, 'data', 'has vertices or faces that do not come in threes')
  const texcoords = countIn(element.attributes.get('texcoord'))
  if (texcoords !== 0 && texcoords !== (2 * (counts[0] as number)) / 3) {
    report.refused(skin, 'texcoord', 'has texcoords other than two for each vertex')
  }
  for (const { element: bone, name } of skin.parts) report.target(within(skin, bone), 'body', 'body', name)
  const at = boneFault(bones, Math.floor((counts[0] as number) / 3))
  if (at !== null) report.refused(skin, 'bone', at)
}

/** Each bone has a weight for every vertex that it moves, and together the bones move all vertices. */
function boneFault(bones: readonly XmlElement[], vertices: number): string | null {
  if (bones.some(({ attributes }) => isLong(attributes.get('vertid')) || isLong(attributes.get('vertweight'))))
    return null
  const weights = new Float64Array(vertices)
  for (const { attributes } of bones) {
    const ids = numbersIn(attributes.get('vertid'))
    const weight = numbersIn(attributes.get('vertweight'))
    if (ids.length === 0 || ids.length !== weight.length)
      return 'has a bone whose vertid and vertweight differ in length'
    for (const [i, id] of ids.entries()) {
      if (id < 0 || id >= vertices) return `has a bone of the vertex ${id}, and ${vertices} vertices`
      weights[id] = (weights[id] as number) + (weight[i] as number)
    }
  }
  const bare = weights.findIndex((value) => value <= 1e-14)
  return bare < 0 ? null : `has a vertex that no bone moves (${bare})`
}
