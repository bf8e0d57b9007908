/**
 * `<composite type="cable">`: a chain of bodies, one for each piece between two points. MuJoCo has removed the other
 * types.
 */
import { limits } from '../limits.ts'
import { countIn, numbersIn } from '../rules/fields.ts'
import type { XmlElement } from '../xml/element.ts'
import { admit, type Draft, freeName } from './draft.ts'
import { wholeNumbers } from './flexcomp-values.ts'
import { BodyNode, JointNode, type NodeInit, SpecNode } from './node.ts'
import type { Place } from './place.ts'
import { addNode, refsOf } from './read-objects.ts'
import { EXCLUDE_TARGETS } from './targets.ts'
import type { SpecCategory } from './types.ts'

interface Cable {
  readonly place: Place
  readonly element: XmlElement
  readonly prefix: string
  readonly pieces: number
}

const numbers = (element: XmlElement, name: string): number[] => numbersIn(element.attributes.get(name))

/** Adds the objects of a composite; a rejected composite is a fault and adds nothing. */
export function readComposite(place: Place, element: XmlElement): void {
  const coordinates = countIn(element.attributes.get('vertex'))
  const vertices = coordinates === 0 ? null : Math.floor(coordinates / 3)
  const written = wholeNumbers(element.attributes.get('count'))
  const predicate = faultOf(element, written, vertices)
  if (predicate !== null) {
    place.draft.building.faults.add('compile', element, `The composite ${predicate}.`)
    return
  }
  const points = vertices ?? written[0] ?? 1
  if (points > limits.objects) {
    place.draft.building.faults.refuse('limit', element, `The composite has more than ${limits.objects} points.`)
  }
  makeCable({ place, element, prefix: element.attributes.get('prefix') ?? '', pieces: points - 1 })
}

/** Faults of the counts, sizes and shapes of a composite. */
function faultOf(element: XmlElement, written: readonly number[], vertices: number | null): string | null {
  const count = [written[0] ?? 1, written[1] ?? 1, written[2] ?? 1]
  if (element.attributes.get('type') !== 'cable')
    return `is of the type "${element.attributes.get('type')}", and only "cable" is left`
  if (count.some((n) => n < 1)) return 'has a count below 1'
  const size = [1, 0, 0].map((initial, i) => numbers(element, 'size')[i] ?? initial)
  if (vertices === null && size.reduce((sum, n) => sum + n * n, 0) < 1e-15) return 'has neither vertices nor a length'
  if (vertices !== null && (count[0] ?? 1) > 1) return 'has both a count and vertices'
  const [x, y, z] = vertices === null ? count : [vertices, 1, count[2] ?? 1]
  if ((x === 1 && (y ?? 1) > 1) || (y === 1 && (z ?? 1) > 1) || (x === 1 && (z ?? 1) > 1))
    return 'has counts of 1 before others'
  if (x === 1 || y !== 1 || z !== 1) return 'is a cable and needs a count in one dimension'
  const geom = element.children.find(({ name }) => name === 'geom')?.attributes.get('type')
  // Two numbers are less than one vertex, so no cable is created.
  if (x === 0 && geom === 'box') return 'has a skin and no vertices'
  if (geom !== 'cylinder' && geom !== 'capsule' && geom !== 'box')
    return 'needs a geom of the type cylinder, capsule or box'
  return null
}

function makeCable(cable: Cable): void {
  const { place, element, prefix, pieces } = cable
  const { draft } = place
  addNode(draft, 'text', made(draft, element, ['text', `composite_${prefix}`], {}))
  const top: { body: BodyNode; frame: SpecNode | null } = { body: place.body, frame: place.frame }
  for (let i = 0; i < pieces; i += 1) {
    const body = new BodyNode(made(draft, element, ['body', bodyName(cable, i)], {}), top.body.className)
    Object.assign(body, top)
    top.body.bodies.push(body)
    admit(draft, body)
    top.body = body
    top.frame = null
    fillPiece(cable, body, i)
  }
  const geom = element.children.find(({ name }) => name === 'geom')
  if (geom?.attributes.get('type') !== 'box') return
  const bones = Array.from({ length: pieces + 1 }, (_, i) => {
    return i > 0 && i >= pieces - 1 ? `${prefix}B_last` : bodyName(cable, i)
  })
  const parts = bones.map((name) => ({ element, name, side: '' }))
  const skin = element.children.find(({ name }) => name === 'skin')
  const material = skin?.attributes.get('material')
  addNode(draft, 'skin', {
    ...made(draft, element, ['skin', `${prefix}Skin`], material === undefined ? {} : { material }),
    parts,
  })
}

/** Geom, joint, site and contact exclusion of one piece. */
function fillPiece(cable: Cable, body: BodyNode, i: number): void {
  const { element, prefix, pieces } = cable
  const { draft } = cable.place
  const last = i === pieces - 1
  const own = (name: string) =>
    Object.fromEntries(element.children.find((child) => child.name === name)?.attributes ?? [])
  const inside = <T extends SpecNode>(node: T, list: T[]) => {
    node.body = body
    node.refs = refsOf(node)
    list.push(node)
    admit(draft, node)
  }
  inside(new SpecNode('geom', made(draft, element, ['geom', `${prefix}G${i}`], own('geom'))), body.geoms)
  const initial = element.attributes.get('initial') ?? 'ball'
  if (i > 0 || initial !== 'none') {
    const type = i === 0 && initial === 'free' ? 'free' : 'ball'
    const name = `${prefix}J_${i === 0 ? 'first' : last ? 'last' : i}`
    inside(new JointNode(made(draft, element, ['joint', name], { ...own('joint'), type }), type), body.joints)
  }
  if (!last) {
    const next = i === pieces - 2 && i > 0 ? `${prefix}B_last` : `${prefix}B_${i + 1}`
    addNode(draft, 'exclude', {
      ...made(draft, element, ['exclude', ''], { body1: bodyName(cable, i), body2: next }),
      targets: EXCLUDE_TARGETS,
    })
  }
  if (i === 0 || last)
    inside(
      new SpecNode('site', made(draft, element, ['site', `${prefix}S_${i === 0 ? 'first' : 'last'}`], own('site'))),
      body.sites,
    )
}

function bodyName({ prefix, pieces }: Cable, i: number): string {
  return `${prefix}B_${i === 0 ? 'first' : i === pieces - 1 ? 'last' : i}`
}

function made(
  draft: Draft,
  element: XmlElement,
  [category, wanted]: readonly [SpecCategory, string],
  own: Readonly<Record<string, string>>,
): NodeInit {
  const name = freeName(draft, category, wanted)
  return { name, element, model: draft.loaded, own: new Map(Object.entries(own)) }
}
