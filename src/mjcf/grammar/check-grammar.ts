import type { Faults, ModelFault } from '../fault.ts'
import type { XmlElement } from '../xml/element.ts'
import { PLUGIN } from './asset-rows.ts'
import { BODY, FRAME, REPLICATE } from './body-rows.ts'
import { checkAttributes } from './check-attributes.ts'
import { DEFAULT, MUJOCO } from './mjcf-rows.ts'
import type { Row } from './row.ts'
import { type Sink, warningSink } from './sink.ts'
import { elementHint, tagOf } from './wording.ts'

/**
 * How much of an element MuJoCo looks at. `checked`: names and occurrences against the grammar, then the values. `loose`: inside a frame or replicate
 * MuJoCo reads the attributes that it knows and does not notice others, nor elements out of place (3.14 as all versions since frames exist). `unread`:
 * bodies beside the world body are held against the grammar and then forgotten. `passed over`: both, so that nothing is looked at.
 */
export type Scrutiny = 'checked' | 'loose' | 'unread' | 'passed over'

/** Where faults go, and what MuJoCo passes over. */
export interface Sinks {
  readonly faults: Sink
  readonly warnings: Sink
}

interface Visit {
  readonly element: XmlElement
  readonly row: Row
  readonly scrutiny: Scrutiny
  /** The world body and the frames in it, which cannot hold what moves. */
  readonly world: boolean
}

/**
 * Holds an MJCF document, includes expanded, against the grammar: elements, attributes, occurrences, and the form of every value that MuJoCo reads. Goes
 * through the whole document whatever it finds. `warnings` takes what MuJoCo passes over in silence though it has no effect.
 */
export function checkGrammar(root: XmlElement, faults: Faults, warnings: ModelFault[] = []): void {
  const sinks: Sinks = { faults, warnings: warningSink(warnings) }
  const stack: Visit[] = [{ element: root, row: MUJOCO, scrutiny: 'checked', world: false }]
  for (let visit = stack.pop(); visit !== undefined; visit = stack.pop()) {
    checkAttributes(visit.element, visit.row, visit.scrutiny, sinks)
    checkWorld(visit, faults)
    stack.push(...childVisits(visit, sinks).reverse())
  }
}

function childVisits(visit: Visit, sinks: Sinks): Visit[] {
  const { element, row, scrutiny } = visit
  const visits: Visit[] = []
  const counts = new Map<string, number>()
  for (const child of element.children) {
    const count = (counts.get(child.name) ?? 0) + 1
    counts.set(child.name, count)
    const known = row.children.get(child.name)
    if (known?.once && count === 2) repeated(visit, child, sinks)
    const next = childVisit(visit, child)
    if (next === null) unknown(visit, child, sinks)
    else if (isRead(visit, child.name, count)) visits.push(next)
    else visits.push({ ...next, scrutiny: scrutiny === 'loose' ? 'passed over' : 'unread' })
  }
  return visits.filter((next) => next.scrutiny !== 'passed over')
}

function childVisit({ row, scrutiny, world }: Visit, child: XmlElement): Visit | null {
  const known = row.children.get(child.name)
  if (known !== undefined) return { element: child, row: known.row, scrutiny, world: child.name === 'worldbody' }
  if (row === DEFAULT && child.name === 'default') return { element: child, row, scrutiny, world: false }
  if (row === MUJOCO) return topLevelBody(child)
  if (!isBodyLike(row)) return null
  const inside = scrutiny === 'unread' ? 'passed over' : 'loose'
  switch (child.name) {
    case 'body':
      return { element: child, row: BODY, scrutiny, world: false }
    case 'frame':
      return { element: child, row: FRAME, scrutiny: inside, world }
    case 'replicate':
      return { element: child, row: REPLICATE, scrutiny: inside, world: false }
    default:
      return null
  }
}

/** MuJoCo's grammar takes these for a world body, and its reader does not look for them there. */
function topLevelBody(child: XmlElement): Visit | null {
  const taken = child.name === 'body' || child.name === 'frame' || child.name === 'replicate'
  return taken ? { element: child, row: BODY, scrutiny: 'unread', world: false } : null
}

function isBodyLike(row: Row): boolean {
  return row === BODY || row === FRAME || row === REPLICATE
}

/**
 * Whether MuJoCo reads the nth child of that name: of what may stand once only the first, and of plugins too, save that a body has its own ways with
 * them; settings of a plugin only where it names no instance.
 */
function isRead({ element, row }: Visit, name: string, nth: number): boolean {
  const child = row.children.get(name)
  if (name === 'config') return (element.attributes.get('instance') ?? '') === ''
  return nth === 1 || isBodyLike(row) || !(child?.once === true || child?.row === PLUGIN)
}

function repeated({ element, scrutiny }: Visit, child: XmlElement, { faults, warnings }: Sinks): void {
  const target = scrutiny === 'loose' ? warnings : faults
  target.add('schema', child, `${tagOf(element)} has more than one <${child.name}>.`, {
    names: [child.name],
    hint: 'Keep one of them.',
  })
}

function unknown({ element, row, scrutiny }: Visit, child: XmlElement, { faults, warnings }: Sinks): void {
  // the reader stops at a name in a body that it does not know, and passes over one elsewhere
  const refused = scrutiny !== 'loose' || isBodyLike(row)
  const target = refused ? faults : warnings
  const hint = elementHint(
    child.name,
    row,
    isBodyLike(row) ? ['body', 'frame', 'replicate'] : row === DEFAULT ? ['default'] : [],
  )
  const message = refused
    ? `${tagOf(element)} cannot have a <${child.name}>.`
    : `${tagOf(element)} has a <${child.name}>, which MuJoCo ignores.`
  target.add('schema', child, message, { names: [child.name], hint })
}

const MOVING = ['inertial', 'joint', 'freejoint']

function checkWorld({ element, world }: Visit, faults: Faults): void {
  if (!world) return
  if (element.name === 'worldbody' && element.attributes.size > 0) {
    const names = [...element.attributes.keys()]
    faults.add('schema', element, `The world body has attributes: ${names.join(', ')}.`, {
      names,
      hint: 'The world body takes none.',
    })
  }
  for (const child of element.children) {
    if (!MOVING.includes(child.name)) continue
    const hint = 'Put it in a <body>: the world does not move.'
    faults.add('schema', child, `The world body cannot have a <${child.name}>.`, { names: [child.name], hint })
  }
}
