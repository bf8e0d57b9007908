/** Visual and collision shapes of a URDF's links, and the meshes that they share. */
import type { Faults } from '../fault.ts'
import { baseNameOf } from '../paths.ts'
import type { XmlElement } from '../xml/element.ts'
import { inDocumentOrder } from '../xml/in-document-order.ts'
import {
  checkOrigin,
  mjcfElement,
  numbersOf,
  onlyChild,
  requiredChild,
  requiredNumbers,
  requiredText,
} from './read-urdf.ts'

/** State shared by the shapes of one robot. */
export interface ShapeContext {
  readonly faults: Faults
  readonly strippath: boolean
  readonly discardvisual: boolean
  /** `<mesh>` assets created so far. */
  readonly meshes: XmlElement[]
  /** Names of the meshes made, by name without folder and extension, then by scale. */
  readonly meshesByName: Map<string, Map<string, string>>
  readonly meshNames: Set<string>
  readonly geomNames: Set<string>
  /** `<color>` elements already checked. */
  readonly colors: Set<XmlElement>
}

/** Nothing made yet. */
export function shapeContext(faults: Faults, settings: { strippath: boolean; discardvisual: boolean }): ShapeContext {
  const { strippath, discardvisual } = settings
  return {
    faults,
    strippath,
    discardvisual,
    meshes: [],
    meshesByName: new Map(),
    meshNames: new Set(),
    geomNames: new Set(),
    colors: new Set(),
  }
}

/** The geoms of one link. Visual shapes that the compiler discards are not read, but their materials are. */
export function geomsOf(link: XmlElement, context: ShapeContext): XmlElement[] {
  return link.children.flatMap((shape) => {
    if (shape.name !== 'visual' && shape.name !== 'collision') return []
    if (shape.name === 'visual') {
      checkMaterial(shape, context)
      if (context.discardvisual) return []
    }
    const geom = geomOf(shape, context)
    return geom ? [geom] : []
  })
}

/** Materials may occur anywhere; unnamed and duplicate ones are skipped. */
export function checkMaterials(robot: XmlElement, { faults, colors }: ShapeContext): void {
  const seen = new Set<string>()
  for (const element of inDocumentOrder(robot)) {
    const name = element.attributes.get('name')
    if (element.name !== 'material' || name === undefined || seen.has(name)) continue
    const color = onlyChild(element, 'color', faults)
    if (!color) continue
    seen.add(name)
    colors.add(color)
    requiredNumbers(color, 'rgba', 4, faults)
  }
}

function checkMaterial(visual: XmlElement, { faults, colors }: ShapeContext): void {
  const material = onlyChild(visual, 'material', faults)
  if (!material) return
  if (material.children.some((child) => colors.has(child))) return
  const color = onlyChild(material, 'color', faults)
  if (color) requiredNumbers(color, 'rgba', 4, faults)
  else requiredText(material, 'name', faults)
}

function geomOf(shape: XmlElement, context: ShapeContext): XmlElement | null {
  const { faults, geomNames } = context
  checkOrigin(shape, faults)
  const geometry = requiredChild(shape, 'geometry', faults)
  const attributes = geometry && shapeAttributes(geometry, context)
  if (!attributes) return null
  // A duplicate name is dropped without a fault.
  const name = shape.attributes.get('name') ?? ''
  const free = name !== '' && !geomNames.has(name)
  geomNames.add(name)
  const seen =
    shape.name === 'visual'
      ? { contype: '0', conaffinity: '0', group: '1', density: '0' }
      : ({} as Record<string, string>)
  return mjcfElement('geom', { name: free ? name : null, ...attributes, ...seen }, shape)
}

/** The first one present applies; sizes are full lengths, while MJCF uses half lengths. */
function shapeAttributes(geometry: XmlElement, context: ShapeContext): Record<string, string> | null {
  const { faults } = context
  const box = onlyChild(geometry, 'box', faults)
  if (box)
    return sized(
      'box',
      requiredNumbers(box, 'size', 3, faults)?.map((length) => length / 2),
    )
  for (const type of ['cylinder', 'sphere', 'capsule']) {
    const element = onlyChild(geometry, type, faults)
    if (!element) continue
    const radius = requiredNumbers(element, 'radius', 1, faults)
    if (type === 'sphere') return sized(type, radius)
    const length = requiredNumbers(element, 'length', 1, faults)
    return sized(type, radius && length && [...radius, ...length.map((whole) => whole / 2)])
  }
  const mesh = onlyChild(geometry, 'mesh', faults)
  if (mesh) return meshAttributes(mesh, context)
  const known = 'box, cylinder, sphere, capsule or mesh'
  faults.add('schema', geometry, `<geometry> has no ${known}.`)
  return null
}

function sized(type: string, size: readonly number[] | null | undefined): Record<string, string> | null {
  return size ? { type, size: size.join(' ') } : null
}

/**
 * Meshes of the same name without folder and extension, and of the same scale, are one: only the file of the first is
 * opened.
 */
function meshAttributes(mesh: XmlElement, context: ShapeContext): Record<string, string> | null {
  const { faults, meshesByName, meshNames, meshes } = context
  const scale = scaleOf(mesh, faults)
  const written = requiredText(mesh, 'filename', faults)
  if (written === null || scale === null) return null
  const file = context.strippath ? baseNameOf(written) : written
  const base = baseNameOf(file).replace(/\.[^.]*$/, '')
  if (base === '') {
    faults.add('name', mesh, `filename="${written}" leaves the mesh without a name.`, { names: [written] })
    return null
  }
  const alike = meshesByName.get(base) ?? new Map<string, string>()
  meshesByName.set(base, alike)
  const same = alike.get(scale)
  if (same !== undefined) return { type: 'mesh', mesh: same }
  const name = alike.size === 0 ? base : `${base}${alike.size}`
  alike.set(scale, name)
  // A duplicate name is not assigned: the mesh is then named after its file, and the two collide.
  meshes.push(mjcfElement('mesh', { name: meshNames.has(name) ? null : name, file, scale }, mesh))
  meshNames.add(name)
  return { type: 'mesh', mesh: name }
}

/** As text that is the same for the same numbers. */
function scaleOf(mesh: XmlElement, faults: Faults): string | null {
  const text = mesh.attributes.get('scale')
  if (text === undefined) return '1 1 1'
  const scale = text.trim() === '' ? requiredNumbers(mesh, 'scale', 3, faults) : numbersOf(mesh, 'scale', 3, faults)
  return scale?.join(' ') ?? null
}
