import type { Spec, SpecCategory, SpecObject } from '../compose/types.ts'
import type { FaultKind, FaultPlace, Faults } from '../fault.ts'
import { short } from '../grammar/values.ts'
import { nearestName } from '../nearest-name.ts'
import type { XmlElement } from '../xml/element.ts'
import { articled, labelOf } from './fields.ts'

/** The subject of a fault: an object, or an element within it. */
type Blamed = Pick<SpecObject, 'category' | 'name' | 'element'>

/**
 * Collects the findings of rules. An element that replicate or attach has copied is reported once per rule, not once
 * per copy: the copies violate the rule for one reason, and 100 reports would end the reading.
 */
export interface Report {
  /** `rule` distinguishes faults of one element; `message` is a full sentence. */
  fault(
    of: { readonly rule: string; readonly kind: FaultKind },
    place: XmlElement,
    message: string,
    about?: {
      readonly names?: readonly string[]
      /** A function if it takes time: it is called only for reported faults. */
      readonly hint?: string | (() => string) | undefined
    },
  ): void
  /** A fault of an object: the sentence is its label and `predicate`. */
  refused(object: Blamed, rule: string, predicate: string, hint?: string): void
  /** Reports a reference to a nonexistent object of that category. An empty name refers to an unnamed object. */
  target(object: Blamed, attribute: string, category: SpecCategory, name: string): SpecObject | undefined
  /** Like `reference`, for an attribute that may be absent or empty. */
  optional(object: Blamed, attribute: string, category: SpecCategory, name: string): SpecObject | undefined
}

/**
 * Finding similar names is slow, so only this many unknown names get a suggestion: a model with more of them has a
 * different problem.
 */
const MAX_LOOKUPS = 20

/** Creates the report of one model. */
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
    fault({ rule, kind }, place, message, { names = [], hint } = {}) {
      if (!first(place, rule)) return
      faults.add(kind, place as FaultPlace, message, { names, hint: typeof hint === 'function' ? hint() : hint })
    },
    refused(object, rule, predicate, hint) {
      report.fault({ rule, kind: 'compile' }, object.element, `${labelOf(object)} ${predicate}.`, {
        names: namesOf(object.name),
        hint,
      })
    },
    target(object, attribute, category, name) {
      const found = name === '' ? unnamed(spec, category) : spec.find(category, name)
      if (found === undefined && !(category === 'body' && isOpenPoint(spec, name))) {
        const message = `${labelOf(object)} refers to the ${category} "${short(name)}" (${attribute}), which the model does not have.`
        report.fault({ rule: `reference ${attribute}`, kind: 'reference' }, object.element, message, {
          names: [name],
          hint: () => nearest(category, name),
        })
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

/** MuJoCo finds one unnamed object under the empty name: the last one. */
function unnamed(spec: Objects, category: SpecCategory): SpecObject | undefined {
  return objectsOf(spec, category).findLast(({ name }) => name === '')
}

function namesOf(name: string): readonly string[] {
  return name === '' ? [] : [name]
}

/** Whether a name may be that of a body that a flexcomp creates, depending on a file. */
function isOpenPoint(spec: Pick<Spec, 'find'>, name: string): boolean {
  const flex = /^(.*)_\d+(?:_\d+_\d+)?$/s.exec(name)?.[1]
  const found = flex === undefined ? undefined : spec.find('flex', flex)
  return found?.made === true && found.parts.length === 0
}
