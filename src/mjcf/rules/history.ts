import type { Spec } from '../spec/types.ts'
import { numberOf, numbersIn } from './fields.ts'
import type { Report } from './report.ts'

/** What has a history is sampled by the time step, which then must be positive. */
export function checkHistory(spec: Spec, report: Report): void {
  const options = spec.loaded.root.children.filter(({ name }) => name === 'option')
  const steps = options
    .map(({ attributes }) => numbersIn(attributes.get('timestep')))
    .filter(({ length }) => length > 0)
  const timestep = steps.at(-1)?.[0] ?? 0.002
  if (timestep > 0) return
  for (const category of ['actuator', 'sensor'] as const) {
    for (const object of spec.of(category)) {
      if (numberOf(object, 'nsample', 0) > 0)
        report.refused(object, 'history', `has a history, and the timestep is ${timestep}`)
    }
  }
}
