/** An observation as the inputs of the model, checked against what it declares. Pure. */
import { FrameFault, NotFinite } from './frame-fault.ts'
import { type Tensor, type TensorSpec, tensorOf } from './tensors.ts'

export interface Observation {
  readonly feeds: Readonly<Record<string, Tensor>>
  /** Whether the batch of one was added, which the answer then goes without. */
  readonly isOne: boolean
}

/**
 * Every input and nothing else. Sizes with a name are equal wherever the name stands. Inputs that all begin with a
 * batch size, and come without it, are a batch of one. `turned`: what the model gets of the tensor of an input. Throws a
 * `FrameFault` that names the input; a `NotFinite` where it would have Infinity or NaN, as sent or as a float32.
 */
export function observationOf(
  inputs: readonly TensorSpec[],
  frame: Readonly<Record<string, unknown>>,
  turned: (name: string, tensor: Tensor) => Tensor = (_name, tensor) => tensor,
): Observation {
  const unknown = Object.keys(frame).find((name) => !inputs.some((input) => input.name === name))
  if (unknown !== undefined)
    throw new FrameFault(
      `The model has no input ${JSON.stringify(unknown.slice(0, 100))}; it takes ${namesOf(inputs)}.`,
    )
  const given = inputs.map((input) => ({ input, tensor: turned(input.name, inputOf(input, frame)) }))
  const isOne = given.every(
    ({ input: { shape }, tensor: { dims } }) => isBatch(shape) && dims.length === shape.length - 1,
  )
  const sizes = new Map<string, number>()
  const feeds = given.map(({ input, tensor }) => {
    const whole = isOne ? { ...tensor, dims: [1, ...tensor.dims] } : tensor
    assertShape(input, whole.dims, sizes)
    assertFinite(input.name, whole)
    return [input.name, whole] as const
  })
  return { feeds: Object.fromEntries(feeds), isOne: isOne && feeds.length > 0 }
}

/** The answer to a batch of one that the client did not send as one. */
export function withoutBatch(outputs: Readonly<Record<string, Tensor>>): Readonly<Record<string, Tensor>> {
  return Object.fromEntries(
    Object.entries(outputs).map(([name, tensor]) => [
      name,
      tensor.dims[0] === 1 ? { ...tensor, dims: tensor.dims.slice(1) } : tensor,
    ]),
  )
}

const namesOf = (inputs: readonly TensorSpec[]) => inputs.map(({ name }) => JSON.stringify(name)).join(', ')
const isBatch = ([first]: TensorSpec['shape']) => typeof first === 'string' || first === 1

function inputOf({ name, type }: TensorSpec, frame: Readonly<Record<string, unknown>>): Tensor {
  if (!Object.hasOwn(frame, name)) throw new FrameFault(`The input ${JSON.stringify(name)} is missing.`)
  try {
    return tensorOf(type, frame[name])
  } catch (error) {
    throw error instanceof FrameFault ? new FrameFault(`${JSON.stringify(name)}: ${error.message}`) : error
  }
}

function assertFinite(name: string, { type, data }: Tensor): void {
  if (type !== 'float32' && type !== 'float64') return
  const place = (data as Float64Array).findIndex((value) => !Number.isFinite(value))
  if (place >= 0) throw new NotFinite(name, place, Number(data[place]))
}

function assertShape({ name, shape }: TensorSpec, dims: readonly number[], sizes: Map<string, number>): void {
  const fits =
    dims.length === shape.length &&
    shape.every((size, place) => {
      const given = dims[place] ?? 0
      if (given === 0) return false
      if (typeof size === 'number') return size === given
      // An open size without a name may be any.
      if (size === '') return true
      const before = sizes.get(size)
      if (before === undefined) sizes.set(size, given)
      return before === undefined || before === given
    })
  if (!fits)
    throw new FrameFault(
      `${JSON.stringify(name)} has the shape [${dims}], not [${shape.map((size) => size || '?').join(',')}].`,
    )
}
