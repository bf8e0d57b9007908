/** Which numbers of the simulation fill the inputs of a model, and what of them it cannot have. */
import { NotFinite } from '@hub/policy-server/wire/frame-fault'
import { observationOf } from '@hub/policy-server/wire/observation'
import type { Tensor, TensorSpec } from '@hub/policy-server/wire/tensors'
import type { EmbodimentInterface } from '@hub/robot-card/interface-schema'
import {
  type AskedPicture,
  type ChosenCameras,
  choiceFaults,
  chosenOtherwise,
  eyeFor,
  type PictureSource,
} from './eyes.ts'
import { pictureArray } from './picture-array.ts'
import { type Picture, picturesOf } from './pictures.ts'
import { type PolicyContract, scaleFault } from './policy-contract.ts'
import type { Seeded } from './seeded.ts'
import { type Term, type TermSources, termOf } from './terms.ts'

export interface Observer {
  /** One of each thing that the simulation cannot provide, by its name. */
  readonly lacks: readonly string[]
  /** Defaults in place of what is not declared. */
  readonly notes: readonly string[]
  /** How many pictures the policy sees each time. */
  readonly pictures: number
  /** Cameras that were chosen, by the names of pictures: those that are others than without a choice. */
  readonly cameras: ChosenCameras
  /**
   * The feeds of one inference. `noise`: deviation of what is added to each number of a term, before scales. Rejects with
   * an `Unseeable` where one of them would be Infinity or NaN.
   */
  observe(noise: number, random: Seeded): Promise<Readonly<Record<string, Tensor>>>
}

/** The policy would see Infinity or NaN, because of the motion or of a scale. The message names the term. */
export class Unseeable extends Error {
  override readonly name = 'Unseeable'
}

interface Filled {
  readonly input: TensorSpec
  readonly terms: readonly Term[]
}

const quoted = (name: string) => JSON.stringify(name)

interface ObserverOptions {
  readonly contract: PolicyContract
  /** As the contract was read. */
  readonly document: unknown
  readonly face: EmbodimentInterface
  readonly sources: TermSources
  /** Null where nothing draws pictures. */
  readonly drawn: PictureSource | null
}

/** `inputs`: of the model. The terms are those of the contract. */
export function observer(inputs: readonly TensorSpec[], options: ObserverOptions): Observer {
  const { document, face, sources, drawn } = options
  const seen = picturesOf(inputs, document)
  const [lacks, notes]: [string[], string[]] = [[...seen.lacks], [...seen.notes]]
  const sight = sightOf(seen.pictures, face, drawn, lacks)
  if (drawn) lacks.push(...choiceFaults(seen.pictures, drawn.chosen))
  if (seen.pictures.length > 0) notes.push(ofPictures)
  const contract = { ...options.contract, terms: options.contract.terms?.filter((one) => !seen.names.has(one)) ?? null }
  const filled = seen.others.flatMap((input): Filled[] => {
    const names = namesFor(input, seen.others.length, contract, notes)
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
    for (const term of terms) {
      const wrong = scaleFault(term, document)
      if (wrong) lacks.push(wrong)
    }
    if (terms.length === names.length) lacks.push(...misfit(input, terms))
    return [{ input, terms }]
  })
  return {
    lacks,
    notes,
    pictures: seen.pictures.length,
    cameras: drawn ? chosenOtherwise(seen.pictures, drawn, face) : {},
    async observe(noise, random) {
      const frame = filled.map(({ input, terms }) => {
        const numbers = numbersOf(terms)
        if (noise > 0) addNoise(numbers, noise, random)
        const values = scaled(numbers, terms, contract.scales)
        // Pictures come with their batch of one, so that all inputs do.
        return [input.name, input.shape.length === 2 ? [values] : values] as const
      })
      const seenNow = Object.fromEntries([...frame, ...(await sight())])
      try {
        return observationOf(inputs, seenNow).feeds
      } catch (error) {
        throw error instanceof NotFinite ? unseeable(error, filled) : error
      }
    },
  }
}

const ofPictures = 'It sees pictures, which no two machines draw alike: its motion may differ from one to another.'

/** What draws and converts the pictures of one inference. */
function sightOf(
  pictures: readonly Picture[],
  face: EmbodimentInterface,
  drawn: PictureSource | null,
  lacks: string[],
) {
  const asked = pictures.flatMap((picture): AskedPicture[] => {
    const camera = eyeFor(picture, drawn, face)
    if (typeof camera === 'number')
      return [{ name: picture.name, camera, width: picture.width, height: picture.height }]
    lacks.push(camera)
    return []
  })
  return async () => {
    if (asked.length === 0 || !drawn) return []
    const found = await drawn.draw(asked)
    return pictures.map((one, at) => [one.input.name, pictureArray(one, found[at] ?? new Uint8Array())] as const)
  }
}

function unseeable({ input, place, value }: NotFinite, filled: readonly Filled[]): Unseeable {
  let from = 0
  const term = filled
    .find((one) => one.input.name === input)
    ?.terms.find(({ size }) => {
      from += size
      return place < from
    })
  const at = term ? `number ${place - from + term.size + 1} of ${quoted(term.name)}` : `${quoted(input)}`
  return new Unseeable(`The policy would see ${value} as ${at}.`)
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

const unknownInput = ({ name }: TensorSpec) =>
  `The policy sees ${quoted(name)}: its contract does not say what that is.`

function misfit({ name, type, shape }: TensorSpec, terms: readonly Term[]): string[] {
  if (!type.startsWith('float')) return [`The input ${quoted(name)} is of ${type}: terms are filled in as floats.`]
  if (shape.length > 2) return [`The input ${quoted(name)} has ${shape.length} dimensions: one observation has one.`]
  const size = terms.reduce((sum, term) => sum + term.size, 0)
  const width = shape.at(-1)
  if (typeof width !== 'number' || width === size) return []
  const named = terms.map((term) => `${term.name} ${term.size}`).join(', ')
  return [`The input ${quoted(name)} has ${width} numbers, and the terms of the contract ${size} (${named}).`]
}
