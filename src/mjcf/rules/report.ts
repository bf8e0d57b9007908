import type { FaultKind, FaultPlace, Faults } from '../fault.ts'
import type { Spec, SpecCategory, SpecObject } from '../spec/types.ts'
import type { XmlElement } from '../xml/element.ts'
import { labelOf } from './fields.ts'
import { nearestName } from './nearest-name.ts'

/** What a fault is about: an object, or an element within it that speaks for it. */
export type Blamed = Pick<SpecObject, 'category' | 'name' | 'element'>

/**
 * Where rules put what they find. An element that replicate or attach has copied is reported once for each rule, not once for each copy: the copies break
 * it for one reason, and 100 of them would end the reading.
 */
export interface Report {
  /** `rule` tells faults of one element apart; `message` is a whole sentence. */
  fault(
    rule: string,
    kind: FaultKind,
    place: XmlElement,
    message: string,
    names?: readonly string[],
    hint?: string,
  ): void
  /** A fault of an object: the sentence is its label and `predicate`. */
  refused(object: Blamed, rule: string, predicate: string, hint?: string): void
  /** Sees that the name in a referring attribute is borne by an object of that category, reports it where not; '' is none at all. */
  target(object: Blamed, attribute: string, category: SpecCategory, name: string): SpecObject | undefined
}

/** A report over one model. */
export function reportOn(spec: Pick<Spec, 'find' | 'of' | 'bodies' | 'joints'>, faults: Faults): Report {
  const seen = new Map<XmlElement, Set<string>>()
  const first = (element: XmlElement, rule: string): boolean => {
    const rules = seen.get(element) ?? new Set()
    seen.set(element, rules)
    return !rules.has(rule) && rules.add(rule).size > 0
  }
  const report: Report = {
    fault(rule, kind, place, message, names = [], hint) {
      if (first(place, rule)) faults.add(kind, place as FaultPlace, message, { names, hint })
    },
    refused(object, rule, predicate, hint) {
      report.fault(rule, 'compile', object.element, `${labelOf(object)} ${predicate}.`, namesOf(object.name), hint)
    },
    target(object, attribute, category, name) {
      if (name === '') return undefined
      const found = spec.find(category, name)
      if (found === undefined) {
        const nearest = nearestName(name, candidates(spec, category))
        const hint = nearest === undefined ? `The model has no ${category} of that name.` : `Did you mean "${nearest}"?`
        const message = `${labelOf(object)} refers to a ${category} "${name}" in ${attribute}, and the model has none.`
        report.fault(`reference ${attribute}`, 'reference', object.element, message, [name], hint)
      }
      return found
    },
  }
  return report
}

function candidates(spec: Pick<Spec, 'of' | 'bodies' | 'joints'>, category: SpecCategory): string[] {
  const objects =
    category === 'body' ? spec.bodies : category === 'joint' ? spec.joints : category === 'key' ? [] : spec.of(category)
  return objects.map((object) => object.name)
}

function namesOf(name: string): readonly string[] {
  return name === '' ? [] : [name]
}
