import type { Compiler } from '../compiler.ts'
import type { Spec, SpecObject } from '../compose/types.ts'
import { numbersIn } from './fields.ts'

/** The compiler settings that apply to an object: those of the model in which it was written. */
export function compilerFor(spec: Spec, object: Pick<SpecObject, 'model'>): Compiler {
  return spec.compilers.get(object.model) ?? spec.compiler
}

/** An integer of the `<size>` sections of the main model; the last section that has it applies. */
export function sizeSetting(spec: Spec, name: string): number | undefined {
  const adopted = spec.adopted.get(`size ${name}`)
  if (adopted !== undefined) return numbersIn(adopted)[0]
  const sections = spec.loaded.root.children.filter((child) => child.name === 'size')
  return numbersIn(sections.findLast((section) => section.attributes.has(name))?.attributes.get(name))[0]
}

/** An attribute of the `<option>` sections of the main model, or of an attached model whose setting applies. */
export function optionOf(spec: Spec, name: string): string | undefined {
  const options = spec.loaded.root.children.filter((child) => child.name === 'option')
  const last = options.findLast(({ attributes }) => attributes.has(name))
  return spec.adopted.get(`option ${name}`) ?? last?.attributes.get(name)
}
