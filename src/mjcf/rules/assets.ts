import type { Spec, SpecObject } from '../spec/types.ts'
import { alone, given, numberOf, numbersIn, textOf, vectorOf, within } from './fields.ts'
import type { Report } from './report.ts'
import { compilerFor, isWritten } from './settings.ts'

/** Assets as far as they are written in the model itself: their files are judged elsewhere. */
export function checkAssets(spec: Spec, report: Report): void {
  for (const category of ['mesh', 'hfield', 'texture', 'material'] as const) {
    for (const asset of spec.of(category)) checkNamed(asset, report)
  }
  for (const hfield of spec.of('hfield')) checkHfield(hfield, report)
  for (const mesh of spec.of('mesh')) checkMesh(mesh, report)
  for (const texture of spec.of('texture')) {
    if (!compilerFor(spec, texture).discardvisual) checkTexture(texture, report)
  }
  for (const material of spec.of('material')) checkMaterial(spec, material, report)
  for (const skin of spec.of('skin')) checkSkin(spec, skin, report)
}

/** All but a skybox are there to be referred to. */
function checkNamed(asset: SpecObject, report: Report): void {
  if (!isWritten(asset) || asset.name !== '') return
  if (asset.category === 'texture' && textOf(asset, 'type', 'cube') === 'skybox') return
  const message = `A ${asset.category} without a file must have a name.`
  report.fault('name', 'name', asset.element, message, [], 'Give it a name attribute.')
}

function checkHfield(hfield: SpecObject, report: Report): void {
  const own = alone(hfield.element)
  if (vectorOf(own, 'size', [0, 0, 0, 0]).some((value) => value <= 0)) {
    report.refused(hfield, 'size', 'has a size that is not positive')
  }
  const [nrow, ncol] = [numberOf(own, 'nrow', 0), numberOf(own, 'ncol', 0)]
  if (given(own, 'file') && textOf(own, 'file', '') !== '') {
    if (nrow !== 0 || ncol !== 0) report.refused(hfield, 'data', 'has both a file and nrow or ncol')
    return
  }
  if (nrow < 1 || ncol < 1 || given(own, 'file')) report.refused(hfield, 'data', 'has no file, and no nrow and ncol')
  else if (given(own, 'elevation') && numbersIn(textOf(own, 'elevation', '')).length !== nrow * ncol) {
    report.refused(hfield, 'data', `has an elevation of other than nrow times ncol numbers (${nrow * ncol})`)
  }
}

function checkMesh(mesh: SpecObject, report: Report): void {
  const { element } = mesh
  const { attributes } = element
  const elsewhere = (attributes.get('file') ?? '') !== '' || (attributes.get('builtin') ?? 'none') !== 'none'
  if (!isWritten(mesh) || elsewhere || element.children.some(({ name }) => name === 'plugin')) return
  const vertices = numbersIn(attributes.get('vertex')).length
  const faces = numbersIn(attributes.get('face'))
  if (vertices < 12) report.refused(mesh, 'vertex', 'has no file, and fewer than 4 vertices')
  else if (vertices % 3 !== 0) report.refused(mesh, 'vertex', 'has vertices that do not come in threes of numbers')
  if (faces.length % 3 !== 0) report.refused(mesh, 'face', 'has faces that do not come in threes of vertices')
  else if (vertices >= 12 && faces.some((vertex) => vertex < 0 || vertex >= Math.floor(vertices / 3))) {
    report.refused(mesh, 'face', 'has a face with a vertex that does not exist')
  }
  if (numbersIn(attributes.get('normal')).length % 3 !== 0)
    report.refused(mesh, 'normal', 'has normals that do not come in threes')
}

const CUBE_FILES = ['fileright', 'fileleft', 'fileup', 'filedown', 'filefront', 'fileback']

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
  if (compilerFor(spec, material).discardvisual) return
  report.target(material, 'texture', 'texture', material.ref('texture'))
  // Layers bear names as written, which attach would change.
  if (material.model !== spec.loaded) return
  for (const layer of material.element.children) {
    if (layer.name !== 'layer') continue
    const at = within(material, layer)
    report.target(at, 'texture', 'texture', layer.attributes.get('texture') ?? '')
  }
}

function checkSkin(spec: Spec, skin: SpecObject, report: Report): void {
  if (!isWritten(skin)) return
  if (!compilerFor(spec, skin).discardvisual) report.target(skin, 'material', 'material', skin.ref('material'))
  const { element } = skin
  if ((element.attributes.get('file') ?? '') !== '') {
    const extra =
      ['vertex', 'texcoord', 'face'].some((name) => element.attributes.has(name)) || element.children.length > 0
    if (extra) report.refused(skin, 'data', 'has both a file and data of its own')
    return
  }
  const counts = ['vertex', 'face'].map((name) => numbersIn(element.attributes.get(name)).length)
  const bones = element.children.filter(({ name }) => name === 'bone')
  if (counts.includes(0) || bones.length === 0) report.refused(skin, 'data', 'lacks a vertex, face or bone')
  else if (counts.some((count) => count % 3 !== 0))
    report.refused(skin, 'data', 'has vertices or faces that do not come in threes')
  if (skin.model !== spec.loaded) return
  for (const bone of bones) {
    const at = within(skin, bone)
    report.target(at, 'body', 'body', bone.attributes.get('body') ?? '')
  }
}
