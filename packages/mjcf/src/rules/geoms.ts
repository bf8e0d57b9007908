import type { Spec, SpecBody, SpecObject } from '../compose/types.ts'
import { numberOf, textOf } from './fields.ts'
import { ORIENTATION_HINT, orientationFault } from './orientation.ts'
import type { Report } from './report.ts'
import { compilerFor } from './settings.ts'
import { fromtoFault, shapeOf, sizeFault } from './shapes.ts'

const CONDIMS = [1, 3, 4, 6]
const MESH_TYPES = ['mesh', 'sdf']
/** Primitives that MuJoCo can fit to a mesh. */
const FITTED = ['sphere', 'capsule', 'cylinder', 'ellipsoid', 'box']

/** Whether MuJoCo supports this number of contact dimensions. */
export function isCondim(value: number): boolean {
  return CONDIMS.includes(value)
}

/** Checks each geom: its references, and whether its type, size and place fit together. */
export function checkGeoms(spec: Spec, report: Report): void {
  for (const geom of spec.of('geom')) if (!geom.made) checkGeom(spec, geom, report)
}

function checkGeom(spec: Spec, geom: SpecObject, report: Report): void {
  const { eulerseq } = compilerFor(spec, geom)
  const mesh = geom.ref('mesh')
  const hfield = geom.ref('hfield')
  report.optional(geom, 'mesh', 'mesh', mesh)
  report.optional(geom, 'hfield', 'hfield', hfield)
  if (!spec.compiler.discardvisual) report.optional(geom, 'material', 'material', materialOf(spec, geom))
  const condim = numberOf(geom, 'condim', 3)
  if (!isCondim(condim)) report.refused(geom, 'condim', `has condim ${condim}; it is 1, 3, 4 or 6`)
  const shape = shapeOf(geom, [0, 0, 0])
  const meshType = MESH_TYPES.includes(shape.type)
  if (meshType && mesh === '') report.refused(geom, 'mesh', `is of type ${shape.type} and names no mesh`)
  if ((shape.type === 'hfield') !== (hfield !== '')) {
    const predicate =
      hfield === '' ? 'is of type hfield and names no hfield' : `names an hfield and is of type ${shape.type}`
    report.refused(geom, 'hfield', predicate)
  }
  if (meshType && textOf(geom, 'shellinertia', 'false') === 'true') {
    report.refused(
      geom,
      'shellinertia',
      'is a mesh with shellinertia, which the mesh asset says instead (inertia="shell")',
    )
  }
  if (shape.type === 'plane' && moves(geom.body)) report.refused(geom, 'plane', 'is a plane on a body that moves')
  if (shape.fromto) {
    const fault = mesh === '' ? fromtoFault(geom) : 'has both a mesh and a fromto'
    if (fault !== null) report.refused(geom, 'fromto', fault)
  } else {
    const fault = orientationFault(geom, eulerseq)
    if (fault !== null) report.refused(geom, 'orientation', fault, ORIENTATION_HINT)
  }
  if (mesh === '' && hfield === '' && shape.size.some(Number.isNaN))
    report.refused(geom, 'nan', 'has a size that is not a number')
  if (mesh === '') {
    const fault = sizeFault(shape)
    if (fault !== null) report.refused(geom, 'size', fault)
  } else if (!meshType && !FITTED.includes(shape.type)) {
    report.refused(geom, 'fit', `names a mesh to be fitted to, which a ${shape.type} cannot be`)
  }
}

/** A mesh may define its own material. */
function materialOf(spec: Spec, geom: SpecObject): string {
  const own = geom.ref('material')
  const mesh = geom.ref('mesh')
  return own !== '' || mesh === '' ? own : (spec.find('mesh', mesh)?.ref('material') ?? '')
}

/**
 * Whether a body moves relative to the world: through a joint of its own or of an ancestor. Children of a mocap body do
 * not.
 */
function moves(body: SpecBody | null): boolean {
  for (let at = body; at !== null; at = at.body) if (at.joints.length > 0 || at.mocap) return !at.mocap
  return false
}

/** Checks sites: like geoms, but with other size rules, and with only materials and meshes as assets. */
export function checkSites(spec: Spec, report: Report): void {
  for (const site of spec.of('site')) if (!site.made) checkSite(spec, site, report)
}

function checkSite(spec: Spec, site: SpecObject, report: Report): void {
  const { eulerseq } = compilerFor(spec, site)
  if (!spec.compiler.discardvisual) report.optional(site, 'material', 'material', site.ref('material'))
  const mesh = textOf(site, 'mesh', '')
  const shape = shapeOf(site, [0.005, 0.005, 0.005])
  if (shape.type === 'hfield' || shape.type === 'plane') {
    report.refused(site, 'type', `is of type ${shape.type}, which a site cannot be`)
  } else if ((shape.type === 'mesh') !== (mesh !== '')) {
    report.refused(
      site,
      'mesh',
      mesh === '' ? 'is of type mesh and names no mesh' : `names a mesh and is of type ${shape.type}`,
    )
  }
  // Copies within a model keep their references to its meshes.
  report.optional(site, 'mesh', 'mesh', site.model === spec.loaded ? mesh : site.ref('mesh'))
  const fault = shape.fromto ? fromtoFault(site) : orientationFault(site, eulerseq)
  if (fault !== null) report.refused(site, 'place', fault, shape.fromto ? undefined : ORIENTATION_HINT)
  const wrong = shape.type === 'plane' ? null : sizeFault(shape)
  if (wrong !== null) report.refused(site, 'size', wrong)
}
