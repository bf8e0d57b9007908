import type { Spec } from '../compose/types.ts'
import { numberOf, numbersIn } from './fields.ts'
import type { Report } from './report.ts'
import { optionOf } from './settings.ts'

/** Objects with a history are sampled by the time step, which then must be positive. */
export function checkHistory(spec: Spec, report: Report): void {
  const [timestep = 0.002] = numbersIn(optionOf(spec, 'timestep'))
  if (timestep > 0) return
  for (const category of ['actuator', 'sensor'] as const) {
    for (const object of spec.of(category)) {
      if (numberOf(object, 'nsample', 0) > 0)
        report.refused(object, 'history', `has a history, and the timestep is ${timestep}`)
    }
  }
}
