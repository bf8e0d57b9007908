import type { Spec } from '../compose/types.ts'
import type { Report } from './report.ts'
import { optionOf, sizeSetting } from './settings.ts'

/**
 * Settings of the whole model after attached models were applied: those of an attached child need not be valid on their
 * own.
 */
export function checkWhole(spec: Spec, report: Report): void {
  const sections = (name: string) => spec.loaded.root.children.filter((section) => section.name === name)
  const refused = (rule: string, section: string, message: string, hint: string) =>
    report.fault({ rule, kind: 'compile' }, sections(section).at(-1) ?? spec.loaded.root, message, { hint })
  const userdata = sizeSetting(spec, 'nuserdata') ?? 0
  if (userdata < 0)
    refused('nuserdata', 'size', `The <size> has the nuserdata ${userdata}.`, 'It is a count and cannot be negative.')
  const flags = sections('option').flatMap(({ children }) => children.filter(({ name }) => name === 'flag'))
  const ipc = flags.findLast(({ attributes }) => attributes.has('ipc'))?.attributes.get('ipc')
  const [integrator = 'Euler', solver = 'Newton'] = [optionOf(spec, 'integrator'), optionOf(spec, 'solver')]
  if (ipc === 'enable' && (integrator !== 'discrete' || solver !== 'CG')) {
    const message = `The flag ipc is enabled with the integrator ${integrator} and the solver ${solver}.`
    refused('ipc', 'option', message, 'It needs integrator="discrete" and solver="CG".')
  }
}
