import type { Spec, SpecCategory, SpecObject } from '../compose/types.ts'
import type { FaultKind, FaultPlace, Faults } from '../fault.ts'
import { short } from '../grammar/values.ts'
import { nearestName } from '../nearest-name.ts'
import type { XmlElement } from '../xml/element.ts'
import { articled, labelOf } from './fields.ts'

/** The subject of a fault: an object, or an element within it. */
export type Blamed = Pick<SpecObject, 'category' | 'name' | 'element'>

/**
 * Collects the findings of rules. An element that replicate or attach has copied is reported once for each rule, not once for each copy: the copies break
 * it for one reason, and 100 of them would end the reading.
 */
export interface Report {
  /** `rule` distinguishes faults of one element; `message` is a full sentence. */
  fault(
    rule: string,
    kind: FaultKind,
    place: XmlElement,
    message: string,
    names?: readonly string[],
    /** A function if it takes time: it is called only for reported faults. */
    hint?: string | (() => string),
  ): void
  /** A fault of an object: the sentence is its label and `predicate`. */
  refused(object: Blamed, rule: string, predicate: string, hint?: string): void
  /** Reports a reference to an object of that category that does not exist. An empty name is that of unnamed ones. */
  target(object: Blamed, attribute: string, category: SpecCategory, name: string): SpecObject | undefined
  /** The same for an attribute that may be absent or empty. */
  optional(object: Blamed, attribute: string, category: SpecCategory, name: string): SpecObject | undefined
}

/** Names are compared letter by letter, which takes time: a model with more unknown names than this has another fault. */
const MAX_LOOKUPS = 20

/** A report over one model. */
export function reportOn(spec: Objects & Pick<Spec, 'find'>, faults: Faults): Report {
  const seen = new Map<XmlElement, Set<string>>()
  const first = (element: XmlElement, rule: string): boolean => {
    const rules = seen.get(element) ?? new Set()
    seen.set(element, rules)
    return !rules.has(rule) && rules.add(rule).size > 0
  }
  let lookups = 0
  const nearest = (category: SpecCategory, name: string): string => {
    lookups += 1
    const names =
      name === '' || lookups > MAX_LOOKUPS ? [] : objectsOf(spec, category).map((candidate) => candidate.name)
    const found = nearestName(name, names)
    return found === null ? `Name ${articled(category)} of the model.` : `Did you mean "${found}"?`
  }
  const report: Report = {
    fault(rule, kind, place, message, names = [], hint) {
      if (!first(place, rule)) return
      faults.add(kind, place as FaultPlace, message, { names, hint: typeof hint === 'function' ? hint() : hint })
    },
    refused(object, rule, predicate, hint) {
      report.fault(rule, 'compile', object.element, `${labelOf(object)} ${predicate}.`, namesOf(object.name), hint)
    },
    target(object, attribute, category, name) {
      const found = name === '' ? unnamed(spec, category) : spec.find(category, name)
      if (found === undefined && !(category === 'body' && isOpenPoint(spec, name))) {
        const message = `${labelOf(object)} refers to the ${category} "${short(name)}" (${attribute}), which the model does not have.`
        report.fault(`reference ${attribute}`, 'reference', object.element, message, [name], () =>
          nearest(category, name),
        )
      }
      return found
    },
    optional(object, attribute, category, name) {
      return name === '' ? undefined : report.target(object, attribute, category, name)
    },
  }
  return report
}

type Objects = Pick<Spec, 'of' | 'bodies' | 'joints'>

function objectsOf(spec: Objects, category: SpecCategory): readonly SpecObject[] {
  if (category === 'body') return spec.bodies
  return category === 'joint' ? spec.joints : category === 'key' ? [] : spec.of(category)
}

/** MuJoCo keeps one of the unnamed under the empty name: the last. */
function unnamed(spec: Objects, category: SpecCategory): SpecObject | undefined {
  return objectsOf(spec, category).findLast(({ name }) => name === '')
}

function namesOf(name: string): readonly string[] {
  return name === '' ? [] : [name]
}

/** Whether a name is that of a body which a flexcomp may make, as a file decides. */
function isOpenPoint(spec: Pick<Spec, 'find'>, name: string): boolean {
  const flex = /^(.*)_\d+(?:_\d+_\d+)?$/s.exec(name)?.[1]
  const found = flex === undefined ? undefined : spec.find('flex', flex)
  return found?.made === true && found.parts.length === 0
}
