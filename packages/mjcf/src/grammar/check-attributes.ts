import type { XmlElement } from '../xml/element.ts'
import { isAbsent, valueFault } from './check-value.ts'
import type { Constraint, Row } from './row.ts'
import type { Scrutiny, Sink, Sinks } from './sink.ts'
import { short } from './values.ts'
import { attributeHint, listOf, tagOf } from './wording.ts'

/** Checks attributes of one element: names, combinations and values. */
export function checkAttributes(element: XmlElement, row: Row, scrutiny: Scrutiny, { faults, warnings }: Sinks): void {
  checkNames(element, row, scrutiny, { faults, warnings })
  if (scrutiny !== 'loose') for (const constraint of row.constraints) checkConstraint(element, constraint, faults)
  if (scrutiny === 'unread' || element.name === 'worldbody') return
  checkValues(element, row, faults)
  for (const check of row.checks) {
    const fault = check(element)
    if (fault !== null) faults('value', element, `${tagOf(element)} ${fault}.`, { names: [element.name] })
  }
}

function checkNames(element: XmlElement, row: Row, scrutiny: Scrutiny, { faults, warnings }: Sinks): void {
  for (const name of element.attributes.keys()) {
    if (row.attributes.has(name) || (element.name === 'mujoco' && isNamespace(name))) continue
    const message = `${tagOf(element)} has no attribute "${short(name)}"`
    const hint = () => attributeHint(name, row)
    if (scrutiny === 'loose')
      warnings('schema', element, `${message}, and MuJoCo ignores it.`, { names: [short(name)], hint })
    else faults('schema', element, `${message}.`, { names: [short(name)], hint })
  }
}

/** On the root element MuJoCo ignores XML namespace attributes. */
function isNamespace(name: string): boolean {
  return name === 'xmlns' || name.includes(':')
}

function checkConstraint(element: XmlElement, { kind, bundles }: Constraint, faults: Sink): void {
  const present = (name: string) => element.attributes.has(name)
  const touched = bundles.filter((bundle) => bundle.some(present))
  const names = bundles.flat()
  const given = names.filter(present)
  const absent = names.filter((name) => !present(name))
  const fault = (message: string) =>
    faults('schema', element, `${tagOf(element)} ${message}.`, { names: given.length > 0 ? given : names })
  if (kind === 'exclusive' && touched.length > 1) fault(`has ${listOf(given, 'and')}, which exclude each other`)
  if (kind === 'together' && given.length > 0 && absent.length > 0) {
    fault(`has ${listOf(given, 'and')} without ${listOf(absent, 'and')}`)
  }
  const ways = bundles.map((bundle) => bundle.join(' and '))
  if (kind === 'oneOf' && !bundles.some((bundle) => bundle.every(present))) fault(`needs ${listOf(ways, 'or')}`)
}

function checkValues(element: XmlElement, row: Row, faults: Sink): void {
  for (const [name, { type, required }] of row.attributes) {
    const text = element.attributes.get(name)
    if (required && (text === undefined || isAbsent(text, type))) {
      faults('schema', element, `${tagOf(element)} needs the attribute "${name}".`, { names: [name] })
    }
    if (text === undefined) continue
    const fault = valueFault(text, type)
    if (fault === null) continue
    const message = `The ${name} of ${tagOf(element)} ${fault.message}.`
    faults('value', element, message, { names: [name], hint: () => fault.hint })
  }
}
