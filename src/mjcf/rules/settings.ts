import type { Compiler } from '../compiler.ts'
import type { Spec, SpecObject } from '../spec/types.ts'
import { numbersIn } from './fields.ts'

/** The compiler settings that hold for an object: those of the model it was written in. */
export function compilerFor(spec: Spec, object: Pick<SpecObject, 'model'>): Compiler {
  return spec.compilers.get(object.model) ?? spec.compiler
}

/** A whole number of the `<size>` sections of the main model, the last one that has it. */
export function sizeSetting(spec: Spec, name: string): number | undefined {
  const sections = spec.loaded.root.children.filter((child) => child.name === 'size')
  return numbersIn(sections.findLast((section) => section.attributes.has(name))?.attributes.get(name))[0]
}
