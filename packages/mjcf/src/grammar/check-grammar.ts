import type { Faults, ModelFault } from '../fault.ts'
import type { XmlElement } from '../xml/element.ts'
import { PLUGIN } from './asset-rows.ts'
import { BODY, FRAME, REPLICATE } from './body-rows.ts'
import { checkAttributes } from './check-attributes.ts'
import { DEFAULT, MUJOCO } from './mjcf-rows.ts'
import type { Row } from './row.ts'
import { faultSink, type Scrutiny, type Sinks, warningSink } from './sink.ts'
import { short } from './values.ts'
import { elementHint, tagOf } from './wording.ts'

interface Visit {
  readonly element: XmlElement
  readonly row: Row
  readonly scrutiny: Scrutiny
  /** The world body and its frames, which cannot contain joints or inertia. */
  readonly world: boolean
}

/**
 * Checks an MJCF document with expanded includes against the grammar: elements, attributes, occurrences and value
 * formats. Checks the whole document despite faults. `warnings` collects input that MuJoCo silently ignores.
 */
export function checkGrammar(root: XmlElement, faults: Faults, warnings: ModelFault[] = []): void {
  if (root.name !== 'mujoco') {
    // MuJoCo detects MJCF case-insensitively, but then requires lower case.
    const hint = 'Write <mujoco>, in lower case.'
    faults.add('schema', root, `The root element is <${root.name}>.`, { names: [root.name], hint })
  }
  const sinks: Sinks = { faults: faultSink(faults), warnings: warningSink(warnings) }
  const stack: Visit[] = [{ element: root, row: MUJOCO, scrutiny: 'checked', world: false }]
  for (let visit = stack.pop(); visit !== undefined; visit = stack.pop()) {
    checkAttributes(visit.element, visit.row, visit.scrutiny, sinks)
    checkWorld(visit, sinks)
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

/** MuJoCo's grammar allows these in a world body, but its reader ignores them there. */
function topLevelBody(child: XmlElement): Visit | null {
  const taken = child.name === 'body' || child.name === 'frame' || child.name === 'replicate'
  return taken ? { element: child, row: BODY, scrutiny: 'unread', world: false } : null
}

function isBodyLike(row: Row): boolean {
  return row === BODY || row === FRAME || row === REPLICATE
}

/**
 * Whether MuJoCo reads the nth child of that name. Of elements allowed once, and of plugins, it reads only the first; a
 * body has its own rules for plugins. It reads settings of a plugin only if the plugin names no instance.
 */
function isRead({ element, row }: Visit, name: string, nth: number): boolean {
  const child = row.children.get(name)
  if (name === 'config') return (element.attributes.get('instance') ?? '') === ''
  return nth === 1 || isBodyLike(row) || !(child?.once === true || child?.row === PLUGIN)
}

function repeated({ element, scrutiny }: Visit, child: XmlElement, { faults, warnings }: Sinks): void {
  const report = scrutiny === 'loose' ? warnings : faults
  const message = `${tagOf(element)} has more than one <${child.name}>.`
  report('schema', child, message, { names: [child.name], hint: () => 'Keep one of them.' })
}

function unknown({ element, row, scrutiny }: Visit, child: XmlElement, { faults, warnings }: Sinks): void {
  const name = short(child.name)
  const others = isBodyLike(row) ? ['body', 'frame', 'replicate'] : row === DEFAULT ? ['default'] : []
  const hint = () => elementHint(child.name, row, others)
  // the reader fails on an unknown element in a body, and ignores it elsewhere
  if (scrutiny !== 'loose' || isBodyLike(row)) {
    faults('schema', child, `${tagOf(element)} cannot have a <${name}>.`, { names: [name], hint })
  } else {
    warnings('schema', child, `${tagOf(element)} has a <${name}>, which MuJoCo ignores.`, { names: [name], hint })
  }
}

const MOVING = ['inertial', 'joint', 'freejoint']

function checkWorld({ element, world }: Visit, { faults }: Sinks): void {
  if (!world) return
  const [attribute] = element.attributes.keys()
  if (element.name === 'worldbody' && attribute !== undefined) {
    const name = short(attribute)
    faults('schema', element, `The world body has the attribute "${name}".`, {
      names: [name],
      hint: () => 'The world body has no attributes.',
    })
  }
  for (const child of element.children) {
    if (!MOVING.includes(child.name)) continue
    const hint = () => 'Put it in a <body>: the world does not move.'
    faults('schema', child, `The world body cannot have a <${child.name}>.`, { names: [child.name], hint })
  }
}
