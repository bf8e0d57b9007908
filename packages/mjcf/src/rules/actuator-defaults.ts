import type { LoadedModel } from '../load/loaded-model.ts'
import type { XmlElement } from '../xml/element.ts'
import type { ActuatorState } from './actuator-settings.ts'
import { copyOf, initialState, readActuator } from './actuator-state.ts'
import type { Report } from './report.ts'

/**
 * Checks the actuators of default classes. MuJoCo checks their gains when it reads them, even if no object uses the
 * class.
 */
export function checkActuatorDefaults(loaded: LoadedModel, report: Report): void {
  const models = new Set([loaded])
  for (const model of models) {
    for (const child of model.models.values()) models.add(child)
    const main = initialState()
    for (const section of model.root.children) if (section.name === 'default') readClass(section, main, report)
  }
}

/** Elements of a class that are not actuators. */
const OTHERS = new Set('default mesh material joint geom site camera light pair equality tendon'.split(' '))

function readClass(section: XmlElement, state: ActuatorState, report: Report): void {
  for (const element of section.children) {
    const fault = OTHERS.has(element.name) ? null : readActuator(state, element)
    if (fault !== null)
      report.fault({ rule: 'shortcut', kind: 'compile' }, element, `The default <${element.name}> ${fault}.`)
  }
  for (const nested of section.children) if (nested.name === 'default') readClass(nested, copyOf(state), report)
}
