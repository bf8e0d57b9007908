/**
 * The references of an object outside the tree after attach or replicate renamed their targets. A copy of the object is
 * kept only if its targets exist.
 */
import { wordsOf } from '../grammar/values.ts'
import { countIn, numbersIn } from '../rules/fields.ts'
import { type Draft, isNamed, knownNode } from './draft.ts'
import { type Rename, renamed, type SpecNode, type Target } from './node.ts'
import { OBJECT_TYPES } from './targets.ts'
import type { SpecCategory, SpecPart } from './types.ts'

interface Resolved {
  readonly refs: ReadonlyMap<string, string>
  readonly parts: readonly SpecPart[]
}

/**
 * The references of a copy under new names; null if a target does not exist, and the copy is dropped. `across`: the
 * object comes from another model.
 */
export function resolve(draft: Draft, node: SpecNode, rename: Rename, across: boolean): Resolved | null {
  const { refs, parts } = node
  switch (node.category) {
    case 'pair':
    case 'exclude':
    case 'sensor':
      return oneRenamed(draft, node, rename)
    case 'equality':
    case 'actuator':
      return allRenamed(draft, node, rename)
    case 'tendon': {
      const path = pathOf(draft, node, rename)
      return path && { refs, parts: path }
    }
    case 'tuple':
    case 'skin':
    case 'flex': {
      const held = parts.map((part) => ({ ...part, name: renamed(part.name, rename) }))
      if (!held.every((part) => isNamed(draft, partCategory(node.category, part), part.name))) return null
      if (node.category === 'tuple' && (held.length === 0 || !held.every(({ name }) => isWord(name)))) return null
      const material = refs.get('material')
      const bound = node.category === 'flex' && across && material !== undefined
      return { refs: bound ? new Map([['material', renamed(material, rename)]]) : refs, parts: held }
    }
    case 'mesh':
      // A skin whose list lengths are not multiples of three is never copied, and therefore never rejected.
      return ['vertex', 'face'].every((name) => countIn(node.own.get(name)) % 3 === 0) ? { refs, parts } : null
    case 'material':
      return {
        refs: new Map([...refs].map(([attribute, name]) => [attribute, renamed(name, rename)])),
        parts: parts.map((part) => ({ ...part, name: renamed(part.name, rename) })),
      }
    default:
      return { refs, parts }
  }
}

/**
 * MuJoCo stores the names in a tuple as one text and splits it at blanks, so a name that contains blanks is never
 * found.
 */
function isWord(name: string): boolean {
  const words = wordsOf(name)
  return words.length === 1 && words[0] === name
}

function partCategory(category: SpecCategory, { element }: SpecPart): SpecCategory {
  return category === 'tuple' ? (OBJECT_TYPES.get(element.attributes.get('objtype') ?? '') ?? 'key') : 'body'
}

/** One of two references may keep its name: that end of the copy then refers to an object that was not copied. */
function oneRenamed(draft: Draft, { refs, parts, targets, category }: SpecNode, rename: Rename): Resolved | null {
  const plain = targets.map(({ attribute }) => refs.get(attribute) ?? '')
  const names = plain.map((name) => renamed(name, rename))
  const there = targets.map((target, i) => isNamed(draft, target.category, names[i] ?? ''))
  if (targets.length === 2 && there[0] !== there[1]) {
    const keeps = there[0] ? 1 : 0
    names[keeps] = plain[keeps] ?? ''
    there[keeps] = isNamed(draft, (targets[keeps] as Target).category, names[keeps] ?? '')
  }
  if (there.includes(false) || (category === 'sensor' && names.includes(''))) return null
  return { refs: renaming(refs, targets, names), parts }
}

function allRenamed(draft: Draft, node: SpecNode, rename: Rename): Resolved | null {
  const { refs, parts, targets, category } = node
  // An object that is rejected where it stands is never copied either: an actuator without a target, a crank without
  // length.
  if (category === 'actuator' && !isActing(node)) return null
  const names: string[] = []
  for (const [i, { attribute, category: wanted }] of targets.entries()) {
    const name = refs.get(attribute) ?? ''
    names.push(name === '' ? '' : renamed(name, rename))
    const needless = category === 'equality' && i === 1 && name === ''
    if (!needless && !isNamed(draft, wanted, names[i] ?? '')) return null
  }
  if (category === 'equality' && !isBetweenTwo(targets, names)) return null
  return { refs: renaming(refs, targets, names), parts }
}

function isActing(actuator: SpecNode): boolean {
  const { targets } = actuator
  return targets[0]?.attribute === 'cranksite'
    ? (numbersIn(actuator.attr('cranklength'))[0] ?? 0) > 0
    : targets.length > 0
}

/** A constraint connects two objects; if the second body is omitted, it is the world. */
function isBetweenTwo([target]: readonly Target[], [first = '', second = '']: readonly string[]): boolean {
  return first !== (second === '' && target?.category === 'body' ? 'world' : second)
}

function renaming(
  refs: ReadonlyMap<string, string>,
  targets: readonly Target[],
  names: readonly string[],
): Map<string, string> {
  const all = new Map(refs)
  for (const [i, { attribute }] of targets.entries()) if (names[i] !== '') all.set(attribute, names[i] ?? '')
  return all
}

/** Each object of a path that has no renamed counterpart keeps its name, as long as one has. */
function pathOf(draft: Draft, { parts }: SpecNode, rename: Rename): SpecPart[] | null {
  const path: SpecPart[] = []
  let kept = 0
  let pulleys = 0
  for (const part of parts) {
    const { element, name, side } = part
    if (element.name === 'pulley') pulleys += 1
    const moved = { element, name: renamed(name, rename), side: side === '' ? '' : renamed(side, rename) }
    if (isPassable(draft, moved)) {
      path.push(moved)
    } else if (isPassable(draft, part)) {
      path.push(part)
      kept += 1
    } else return null
  }
  return kept === parts.length - pulleys ? null : path
}

function isPassable(draft: Draft, { element, name, side }: SpecPart): boolean {
  if (element.name === 'pulley') return !((numbersIn(element.attributes.get('divisor'))[0] ?? 1) < 0)
  if (!isNamed(draft, element.name as SpecCategory, name)) return false
  if (element.name !== 'geom') return true
  const type = knownNode(draft, 'geom', name)?.attr('type') ?? 'sphere'
  return (type === 'sphere' || type === 'cylinder') && (side === '' || isNamed(draft, 'site', side))
}
