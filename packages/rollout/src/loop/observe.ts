/** Which numbers of the simulation fill the inputs of a model, and what of them it cannot have. */
import { observationOf } from '@hub/policy-server/wire/observation'
import type { Tensor, TensorSpec } from '@hub/policy-server/wire/tensors'
import type { PolicyContract } from './policy-contract.ts'
import type { Seeded } from './seeded.ts'
import { type Term, type TermSources, termOf } from './terms.ts'

export interface Observer {
  /** One of each thing that the simulation cannot provide, by its name. */
  readonly lacks: readonly string[]
  /** Defaults in place of what is not declared. */
  readonly notes: readonly string[]
  /** The feeds of one inference. `noise`: deviation of what is added to each number, before scales. */
  observe(noise: number, random: Seeded): Readonly<Record<string, Tensor>>
}

interface Filled {
  readonly input: TensorSpec
  readonly terms: readonly Term[]
}

const quoted = (name: string) => JSON.stringify(name)

/** `inputs`: of the model. The terms are those of the contract. */
export function observer(inputs: readonly TensorSpec[], contract: PolicyContract, sources: TermSources): Observer {
  const [lacks, notes]: [string[], string[]] = [[], []]
  const filled = inputs.flatMap((input): Filled[] => {
    const names = namesFor(input, inputs.length, contract, notes)
    if (names === null) {
      lacks.push(unknownInput(input))
      return []
    }
    const terms = names.flatMap((name) => {
      const term = termOf(name, sources)
      if (!('lacks' in term)) return [term]
      lacks.push(`The policy sees ${quoted(name)}: ${term.lacks}.`)
      return []
    })
    if (terms.length === names.length) lacks.push(...misfit(input, terms))
    return [{ input, terms }]
  })
  return {
    lacks,
    notes,
    observe(noise, random) {
      const frame = filled.map(({ input, terms }) => {
        const numbers = numbersOf(terms)
        if (noise > 0) addNoise(numbers, noise, random)
        return [input.name, scaled(numbers, terms, contract.scales)] as const
      })
      return observationOf(inputs, Object.fromEntries(frame)).feeds
    },
  }
}

function addNoise(numbers: Float64Array, noise: number, random: Seeded): void {
  for (const [place, value] of numbers.entries()) numbers[place] = value + noise * random.normal()
}

function numbersOf(terms: readonly Term[]): Float64Array {
  const numbers = new Float64Array(terms.reduce((sum, { size }) => sum + size, 0))
  let from = 0
  for (const term of terms) {
    term.write(numbers, from)
    from += term.size
  }
  return numbers
}

function scaled(numbers: Float64Array, terms: readonly Term[], scales: PolicyContract['scales']): number[] {
  let from = 0
  return terms.flatMap(({ name, size }) => {
    const scale = scales[name] ?? 1
    const part = Array.from(numbers.subarray(from, from + size), (value, place) =>
      typeof scale === 'number' ? value * scale : value * (scale[place] ?? 1),
    )
    from += size
    return part
  })
}

/** The terms that an input has; null where that is not known. */
function namesFor(
  input: TensorSpec,
  count: number,
  { terms, joints }: PolicyContract,
  notes: string[],
): readonly string[] | null {
  if (count === 1 && terms) return terms
  const own = input.name.replace(/^observation\./, '')
  if (terms?.includes(own)) return [own]
  const width = input.shape.at(-1)
  if (width !== joints.length || (count > 1 && own !== 'state')) return null
  notes.push(
    `The contract names no terms of ${quoted(input.name)}: it gets joint_pos, since it has a number for each of ` +
      `${joints.length} joints.`,
  )
  return ['joint_pos']
}

/** A picture has rows, columns and colors. */
function unknownInput({ name, shape }: TensorSpec): string {
  return shape.length >= 3
    ? `The policy sees pictures in ${quoted(name)}: the simulation draws none for it.`
    : `The policy sees ${quoted(name)}: its contract does not say what that is.`
}

function misfit({ name, type, shape }: TensorSpec, terms: readonly Term[]): string[] {
  if (!type.startsWith('float')) return [`The input ${quoted(name)} is of ${type}: terms are filled in as floats.`]
  if (shape.length > 2) return [`The input ${quoted(name)} has ${shape.length} dimensions: one observation has one.`]
  const size = terms.reduce((sum, term) => sum + term.size, 0)
  const width = shape.at(-1)
  if (typeof width !== 'number' || width === size) return []
  const named = terms.map((term) => `${term.name} ${term.size}`).join(', ')
  return [`The input ${quoted(name)} has ${width} numbers, and the terms of the contract ${size} (${named}).`]
}
