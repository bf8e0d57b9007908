/** MuJoCo's own settings in a URDF: the compiler, option and size elements inside `<mujoco>`. */
import type { Faults } from '../fault.ts'
import { checkAttributes } from '../grammar/check-attributes.ts'
import type { Row } from '../grammar/row.ts'
import { COMPILER, OPTION, SIZE } from '../grammar/settings-rows.ts'
import { faultSink, warningSink } from '../grammar/sink.ts'
import type { XmlElement } from '../xml/element.ts'
import { mjcfElement, onlyChild } from './read-urdf.ts'

/** Other content of the element is ignored. By default links with fixed joints are merged and visual shapes dropped. */
export function settingsOf(robot: XmlElement, faults: Faults): XmlElement[] {
  const settings = onlyChild(robot, 'mujoco', faults)
  const own = (name: string, row: Row) => {
    const element = settings && onlyChild(settings, name, faults)
    if (element) checkSetting(element, row, faults)
    return element
  }
  const compiler = own('compiler', COMPILER)
  const attributes = { fusestatic: 'true', discardvisual: 'true', ...Object.fromEntries(compiler?.attributes ?? []) }
  const made = mjcfElement('compiler', { ...attributes, angle: 'radian' }, compiler ?? robot)
  return [made, own('option', OPTION), own('size', SIZE)].filter((section) => section !== null)
}

/** Values are read as in MJCF; attributes that it does not have are ignored. */
function checkSetting(element: XmlElement, row: Row, faults: Faults): void {
  checkAttributes(element, row, 'loose', { faults: faultSink(faults), warnings: warningSink([]) })
  for (const [name, { row: part }] of row.children) {
    const child = onlyChild(element, name, faults)
    if (child) checkSetting(child, part, faults)
  }
}
