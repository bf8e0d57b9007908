import type { Spec, SpecObject } from '../compose/types.ts'
import { countIn, textOf } from './fields.ts'
import type { Report } from './report.ts'
import { sizeSetting } from './settings.ts'

/**
 * Checks the count of `user` numbers: at most `<size nuser_…>`; without that setting, the longest list determines the
 * size.
 */
export function checkUserData(spec: Spec, report: Report): void {
  const room = (objects: readonly SpecObject[], setting: string) => {
    const most = sizeSetting(spec, setting) ?? -1
    if (most < 0) return
    for (const object of objects) {
      const count = object.made ? 0 : countIn(textOf(object, 'user', ''))
      if (count > most) report.refused(object, 'user', `has ${count} user numbers, and ${setting} is ${most}`)
    }
  }
  room(spec.bodies.slice(1), 'nuser_body')
  room(spec.joints, 'nuser_jnt')
  room(spec.of('geom'), 'nuser_geom')
  room(spec.of('site'), 'nuser_site')
  room(spec.of('camera'), 'nuser_cam')
  room(spec.of('tendon'), 'nuser_tendon')
  room(spec.of('actuator'), 'nuser_actuator')
  room(spec.of('sensor'), 'nuser_sensor')
}
