/** The link tree of a URDF. */
import type { Faults } from '../fault.ts'
import { limits } from '../limits.ts'
import type { XmlElement } from '../xml/element.ts'
import { requiredChild, requiredText } from './read-urdf.ts'

export interface Link {
  readonly name: string
  readonly element: XmlElement
  parent: Link | null
  /** In the order of the joints that attach them to their parent. */
  readonly children: Link[]
}

/** All links by name, with their place in the tree; a link is the child of at most one joint. */
export function linksOf(robot: XmlElement, faults: Faults): ReadonlyMap<string, Link> {
  const links = namedLinks(robot, faults)
  for (const joint of jointsIn(robot)) {
    const parent = endOf(joint, 'parent', links, faults)
    const child = endOf(joint, 'child', links, faults)
    if (!parent || !child) continue
    if (child.parent) {
      const names = [child.name]
      faults.add('reference', joint, `The link ${child.name} is the child of more than one joint.`, { names })
    } else {
      child.parent = parent
      parent.children.push(child)
    }
  }
  return links
}

/**
 * The links from each root downwards, parents first, children in the order of their joints. Links in a loop are below
 * no root.
 */
export function fromRootsDown(links: ReadonlyMap<string, Link>, faults: Faults): Link[] {
  const ordered: Link[] = []
  const open = [...links.values()].filter(({ parent }) => !parent).map((link) => ({ link, level: 1 }))
  open.reverse()
  for (let next = open.pop(); next; next = open.pop()) {
    const { link, level } = next
    if (level > limits.links) {
      faults.refuse('limit', link.element, `Links are nested more than ${limits.links} levels deep.`)
    }
    ordered.push(link)
    for (const child of link.children.toReversed()) open.push({ link: child, level: level + 1 })
  }
  if (ordered.length < links.size) reportLoops(links, ordered, faults)
  return ordered
}

/** The `<joint>` elements of a robot, in document order. */
export function jointsIn(robot: XmlElement): XmlElement[] {
  return robot.children.filter(({ name }) => name === 'joint')
}

function namedLinks(robot: XmlElement, faults: Faults): Map<string, Link> {
  const links = new Map<string, Link>()
  for (const element of robot.children.filter((child) => child.name === 'link')) {
    const name = requiredText(element, 'name', faults)
    if (name === null) continue
    if (links.has(name)) {
      faults.add('name', element, `Two links are named ${name}.`, { names: [name] })
    } else {
      links.set(name, { name, element, parent: null, children: [] })
    }
  }
  return links
}

function endOf(
  joint: XmlElement,
  end: 'parent' | 'child',
  links: ReadonlyMap<string, Link>,
  faults: Faults,
): Link | null {
  const element = requiredChild(joint, end, faults)
  const name = element && requiredText(element, 'link', faults)
  if (name === null) return null
  const link = links.get(name)
  if (!link) {
    const joined = joint.attributes.get('name') ?? ''
    const hint = `Add <link name="${name}"/>, or use the name of a link of this robot.`
    faults.add('reference', joint, `No link is named ${name}, the ${end} of joint ${joined}.`, { names: [name], hint })
  }
  return link ?? null
}

function reportLoops(links: ReadonlyMap<string, Link>, ordered: readonly Link[], faults: Faults): void {
  const reached = new Set(ordered)
  const looped = [...links.values()].filter((link) => !reached.has(link))
  const names = looped.map(({ name }) => name)
  const hint = 'One link, the base, must not be the child of any joint.'
  faults.add(
    'reference',
    looped[0]?.element ?? null,
    'These links are not connected to a root: their joints form a loop.',
    {
      names,
      hint,
    },
  )
}
