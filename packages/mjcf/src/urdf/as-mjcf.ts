/** Converts URDF models to MJCF as MuJoCo does, so that later stages handle one format. */
import { compilerOf } from '../compiler.ts'
import type { Faults } from '../fault.ts'
import type { LoadedModel } from '../load/loaded-model.ts'
import type { XmlElement } from '../xml/element.ts'
import { checkMaterials, geomsOf, type ShapeContext, shapeContext } from './geoms.ts'
import { inertialOf } from './inertial.ts'
import { jointsOfUrdf } from './joints.ts'
import { fromRootsDown, jointsIn, type Link, linksOf } from './links.ts'
import { mjcfElement } from './read-urdf.ts'
import { settingsOf } from './settings.ts'

/** The model and the models it contains, each URDF among them turned into MJCF; `format` stays. */
export function asMjcf(loaded: LoadedModel, faults: Faults): LoadedModel {
  if (loaded.format === 'urdf') return { ...loaded, root: mjcfOfUrdf(loaded.root, faults) }
  if (loaded.models.size === 0) return loaded
  return { ...loaded, models: new Map([...loaded.models].map(([asset, child]) => [asset, asMjcf(child, faults)])) }
}

/** The `<mujoco>` tree of a `<robot>`. Poses are omitted: no check depends on them. */
function mjcfOfUrdf(robot: XmlElement, faults: Faults): XmlElement {
  const shapes = shapeContext(faults, compilerOf(robot))
  const sections = settingsOf(robot, faults)
  checkMaterials(robot, shapes)
  const links = linksOf(robot, faults)
  const ordered = fromRootsDown(links, faults)
  const world = mjcfElement('worldbody', {}, robot)
  const bodies = bodiesOf(links, world, shapes)
  addJoints(robot, bodies, faults)
  for (const link of ordered) {
    const body = bodies.get(link.name)
    const above = (link.parent && bodies.get(link.parent.name)) ?? world
    if (body && body !== world) above.children.push(body)
  }
  const asset = mjcfElement('asset', {}, robot, shapes.meshes)
  return mjcfElement('mujoco', { model: robot.attributes.get('name') ?? null }, robot, [...sections, asset, world])
}

/** One for each link; a link named `world` is the world itself. */
function bodiesOf(
  links: ReadonlyMap<string, Link>,
  world: XmlElement,
  shapes: ShapeContext,
): ReadonlyMap<string, XmlElement> {
  const bodies = new Map<string, XmlElement>()
  for (const { name, element } of links.values()) {
    const inertial = inertialOf(element, shapes.faults)
    const geoms = geomsOf(element, shapes)
    if (name === 'world') {
      world.children = geoms
      bodies.set(name, world)
    } else {
      const content = inertial ? [inertial, ...geoms] : geoms
      bodies.set(name, mjcfElement('body', { name: name === '' ? null : name }, element, content))
    }
  }
  return bodies
}

function addJoints(robot: XmlElement, bodies: ReadonlyMap<string, XmlElement>, faults: Faults): void {
  const taken = new Set<string>()
  for (const joint of jointsIn(robot)) {
    const made = jointsOfUrdf(joint, taken, faults)
    const child = joint.children.find(({ name }) => name === 'child')?.attributes.get('link') ?? ''
    const body = bodies.get(child)
    for (const element of made) body?.children.push(element)
  }
}
