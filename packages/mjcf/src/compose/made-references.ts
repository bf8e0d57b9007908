import type { Faults } from '../fault.ts'
import { type Draft, isNamed, listOf } from './draft.ts'
import type { BodyNode } from './node.ts'

/**
 * Objects created by composites and flexcomps refer to bodies created with them. Replicate copies these bodies under
 * new names and removes the originals, but leaves flexes and skins. And a cable of two pieces excludes a body that it
 * does not have.
 */
export function checkMadeReferences(draft: Draft, faults: Faults): void {
  for (const category of ['flex', 'skin', 'exclude'] as const) {
    for (const { made, element, parts, targets, refs } of listOf(draft, category)) {
      if (!made) continue
      const names = [...parts.map(({ name }) => name), ...targets.map(({ attribute }) => refs.get(attribute) ?? '')]
      const lost = names.find((name) => !isNamed(draft, 'body', name))
      if (lost === undefined) continue
      faults.add(
        'reference',
        element,
        `What <${element.name}> makes refers to a body "${lost}", and the model has none.`,
        {
          names: [lost],
          hint:
            'Cables need four points at least; flexes and cables with a skin cannot be replicated, attach them ' +
            'instead.',
        },
      )
    }
  }
}

/** The center of a radial flexcomp has no radius to move along, which is a fault if that point is part of the model. */
export function checkMadeAxes(bodies: readonly BodyNode[], faults: Faults): void {
  const still = bodies.flatMap(({ joints }) => joints).find(({ made, own }) => made && own.get('axis') === '0 0 0')
  if (still) faults.add('compile', still.element, 'The middle point of the radial flexcomp has no axis to move along.')
}
