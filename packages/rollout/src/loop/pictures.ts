/** Which pictures a policy sees: by the inputs of its model and the cameras of its contract. Pure. */
import type { GraphValue } from '@hub/formats/policy/onnx-tensors'
import { isElementType, kinds, type TensorSpec } from '@hub/policy-server/wire/tensors'

/** An input of a model, as its runtime tells it. */
export type ModelInput = TensorSpec

export interface Picture {
  /** As the contract calls its camera, else the name of the input without `observation.images.`. */
  readonly name: string
  /** The image input of a VLA model that it feeds. */
  readonly slot: string | null
  readonly input: TensorSpec
  /** In pixels. */
  readonly width: number
  readonly height: number
  /** Whether the planes of colors follow each other, or the colors of each pixel. */
  readonly layout: Layout
  readonly color: Color
  /** A byte times `scale`, less `mean`, through `std` of its channel; null for bytes as they are. */
  readonly numbers: Numbers | null
}

type Layout = 'chw' | 'hwc'
type Color = 'rgb' | 'bgr' | 'gray'

interface Numbers {
  readonly scale: number
  /** One for each channel, in the order of the tensor. */
  readonly mean: readonly number[]
  readonly std: readonly number[]
}

export interface Pictures {
  readonly pictures: readonly Picture[]
  /** Inputs that see no pictures. */
  readonly others: readonly TensorSpec[]
  /** Names of observation terms that are pictures. */
  readonly names: ReadonlySet<string>
  /** What is wrong with one, by its name: a sentence each. */
  readonly lacks: readonly string[]
  /** Defaults in place of what is not declared. */
  readonly notes: readonly string[]
}

/** Of one side: pictures beyond are none that a graphics card draws for every decision. */
const MAX_SIDE = 2048
const MAX_PICTURES = 16
/** Of all pictures together, since each pixel takes about 60 bytes of the card and the page. */
const MAX_PIXELS = 2_097_152

/** A camera as a contract says it. */
interface Said {
  readonly name: string
  readonly document: Json
}

type Json = Readonly<Record<string, unknown>>

const object = (value: unknown): Json => (typeof value === 'object' && value !== null ? (value as Json) : {})
const finite = (value: unknown): value is number => typeof value === 'number' && Number.isFinite(value)
const whole = (value: unknown) => (Number.isSafeInteger(value) && Number(value) > 0 ? Number(value) : null)
const text = (value: unknown) => (typeof value === 'string' && value !== '' ? value : null)
const quoted = (name: string) => JSON.stringify(name)

/** Without what LeRobot and openpi write before the name of a camera. */
const ownName = (input: string) => input.replace(/^observation[./](images?[./])?/, '')

/** Inputs of a file that no runtime has opened. One of a type that is not run is left out: the runtime refuses it. */
export const modelInputs = (values: readonly GraphValue[]): readonly ModelInput[] =>
  values.flatMap(({ name, type, shape }): ModelInput[] =>
    shape && type !== null && isElementType(type) ? [{ name, type, shape: shape.map((size) => size ?? '') }] : [],
  )

/** `document`: the member `contract` of the policy's manifest; null where it has none. */
export function picturesOf(inputs: readonly TensorSpec[], document: unknown): Pictures {
  const contract = object(document)
  const { blocks, scales } = object(contract.observation)
  const cameras = camerasOf(contract.cameras)
  const terms = new Set(Array.isArray(blocks) ? blocks : [])
  for (const { name } of cameras) terms.delete(name)
  const [lacks, notes]: [string[], string[]] = [[], []]
  const seen = inputs.flatMap((input) => {
    const said = cameras.find((camera) => isOf(camera, input.name)) ?? null
    // What a term fills is numbers, however it is shaped; and so is a memory, which has no colors.
    const hasTerms = inputs.length === 1 ? terms.size > 0 : terms.has(ownName(input.name))
    const hasColors = input.shape.length === 3 && [input.shape[0], input.shape[2]].includes(3)
    const isPicture = said !== null || input.shape.length >= 4 || (hasColors && !hasTerms)
    return isPicture ? [{ input, said }] : []
  })
  const unused = cameras.filter((camera) => !seen.some(({ said }) => said === camera))
  const [only, rest] = [seen.length === 1 ? seen[0] : undefined, unused.length === 1 ? unused[0] : undefined]
  if (only && only.said === null && rest) {
    only.said = rest
    unused.length = 0
    notes.push(`The input ${quoted(only.input.name)} gets the camera ${quoted(rest.name)}, the only one it names.`)
  }
  for (const { name } of unused) notes.push(`The contract names the camera ${quoted(name)}, which no input takes.`)
  if (seen.length > MAX_PICTURES) lacks.push(`The policy sees ${seen.length} pictures: ${MAX_PICTURES} are drawn.`)
  const pictures = seen.slice(0, MAX_PICTURES).flatMap(({ input, said }) => {
    const found = pictureOf(input, said, object(scales), notes)
    if (typeof found === 'string') lacks.push(found)
    return typeof found === 'string' ? [] : [found]
  })
  const pixels = pictures.reduce((sum, { width, height }) => sum + width * height, 0)
  if (pixels > MAX_PIXELS) lacks.push(`The policy sees ${pixels} pixels in all: ${MAX_PIXELS} are drawn.`)
  return {
    pictures,
    others: inputs.filter((input) => !seen.some((one) => one.input === input)),
    names: new Set(seen.flatMap(({ input, said }) => [ownName(input.name), ...(said ? [said.name] : [])])),
    lacks,
    notes,
  }
}

const camerasOf = (value: unknown): readonly Said[] =>
  (Array.isArray(value) ? value : []).flatMap((one: unknown): Said[] => {
    const document = object(one)
    const name = text(document.name)
    return name === null ? [] : [{ name, document }]
  })

function isOf({ name, document }: Said, input: string): boolean {
  const asked = text(document.input)
  return asked === null
    ? [input, ownName(input)].some((one) => one === name || one === document.vla_slot)
    : asked === input
}

const DEFAULT_SCALE = 1 / 255

/** The picture, or a sentence that says what is wrong with it. */
function pictureOf(input: TensorSpec, said: Said | null, scales: Json, notes: string[]): Picture | string {
  const name = said?.name ?? ownName(input.name)
  const document = said?.document ?? {}
  const shape = shapeOf(input, document)
  if (typeof shape === 'string') return `The policy sees pictures of ${quoted(name)}: ${shape}.`
  const own = ownName(input.name)
  const ofTerm = (term: string) => (Object.hasOwn(scales, term) ? scales[term] : null)
  const scale = document.scale ?? ofTerm(name) ?? ofTerm(own) ?? null
  if (scale !== null && !finite(scale))
    return `The policy sees pictures of ${quoted(name)}: its contract says a "scale" that is not one number.`
  const numbers = numbersOf(input, document, scale, shape.color === 'gray' ? 1 : 3)
  if (typeof numbers === 'string') return `The policy sees pictures of ${quoted(name)}: ${numbers}.`
  if (numbers && scale === null)
    notes.push(`The contract says no scale of ${quoted(name)}: its pictures are numbers from 0 to 1.`)
  return { name, slot: text(document.vla_slot), input, ...shape, numbers }
}

type Shaped = Pick<Picture, 'width' | 'height' | 'layout' | 'color'>

const sizesText = (shape: TensorSpec['shape']) => `[${shape.map((size) => size || '?').join(',')}]`

/** Sizes of the model, and of the contract where they are open; the end of a sentence where they differ. */
function shapeOf({ name, shape }: TensorSpec, document: Json): Shaped | string {
  const told = `its input ${quoted(name)} has the shape ${sizesText(shape)}`
  const [batch] = shape
  const isOne = shape.length === 3 || (shape.length === 4 && (typeof batch === 'string' || batch === 1))
  if (!isOne) return `${told}, and one picture has rows, columns and colors`
  const sizes = shape.slice(-3)
  const layout = layoutOf(sizes, document.layout)
  if (layout === null)
    return `${told}: colors are 3 or 1, at the first place or the last; "layout" (chw, hwc) says which`
  const [channels, rows, columns] = layout === 'chw' ? sizes : [sizes[2], sizes[0], sizes[1]]
  const color = colorOf(channels, document.color)
  if (typeof color !== 'object') return `${told}: ${color}`
  const [height, width] = [sizeOf(rows, document.height), sizeOf(columns, document.width)]
  if (height === null || width === null)
    return `${told}, and its contract says no other size, width and height of the camera`
  if (height === 'differs' || width === 'differs')
    return `${told}, and its contract says ${document.width} x ${document.height} pixels`
  if ([width, height].some((side) => side < 1 || side > MAX_SIDE))
    return `it has ${width} x ${height} pixels, and a side has 1 to ${MAX_SIDE}`
  return { width, height, layout, color: color.color }
}

const isColors = (size: number | string | undefined) => size === 1 || size === 3

function layoutOf([first, , last]: TensorSpec['shape'], said: unknown): Layout | null {
  const fits = { chw: isColors(first), hwc: isColors(last) }
  const open = { chw: typeof first === 'string', hwc: typeof last === 'string' }
  if (said === 'chw' || said === 'hwc') return fits[said] || open[said] ? said : null
  if (fits.chw === fits.hwc) return null
  return fits.chw ? 'chw' : 'hwc'
}

function colorOf(channels: number | string | undefined, said: unknown): { readonly color: Color } | string {
  if (said !== undefined && said !== null && said !== 'rgb' && said !== 'bgr' && said !== 'gray')
    return `its contract says the color ${JSON.stringify(said)}, which is none of rgb, bgr and gray`
  const color = said ?? (channels === 1 ? null : 'rgb')
  if (color === null)
    return 'one channel is gray only if its contract says "color": "gray" of the camera; depth is not drawn'
  if (typeof channels === 'number' && channels !== (color === 'gray' ? 1 : 3))
    return `its contract says the color ${color}: ${color === 'gray' ? '1 channel' : '3 channels'}`
  return { color }
}

function sizeOf(size: number | string | undefined, said: unknown): number | 'differs' | null {
  const wanted = whole(said)
  if (typeof size !== 'number') return wanted
  return wanted === null || wanted === size ? size : 'differs'
}

function numbersOf({ name, type }: TensorSpec, document: Json, scale: number | null, channels: number) {
  const [mean, std] = [channelsOf(document.mean, channels, 0), channelsOf(document.std, channels, 1)]
  if (mean === null || std === null || std.includes(0))
    return `its contract says "mean" or "std" that are not ${channels} numbers, none of std 0`
  const { range } = kinds[type]
  if (range === null) {
    const numbers = { scale: scale ?? DEFAULT_SCALE, mean, std }
    return areHeld(numbers) ? numbers : 'the "scale", "mean" and "std" of its contract make numbers beyond a float32'
  }
  if (range[1] < 255n) return `its input ${quoted(name)} is of ${type}, which holds no byte of a picture`
  const isPlain = (scale ?? 1) === 1 && mean.every((one) => one === 0) && std.every((one) => one === 1)
  return isPlain ? null : `its input ${quoted(name)} is of ${type}: bytes are not scaled`
}

/** Whether a float32 holds what the darkest and the brightest byte become, and so all between. */
const areHeld = ({ scale, mean, std }: Numbers) =>
  mean.every((one, at) => [0, 255].every((byte) => isHeld((byte * scale - one) / (std[at] ?? 1))))

const isHeld = (value: number) => Number.isFinite(Math.fround(value))

/** A number for each channel; null where it is something else. */
function channelsOf(value: unknown, channels: number, otherwise: number): readonly number[] | null {
  if (value === undefined || value === null) return Array.from({ length: channels }, () => otherwise)
  return Array.isArray(value) && value.length === channels && value.every(finite) ? value : null
}
