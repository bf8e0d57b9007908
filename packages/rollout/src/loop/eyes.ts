/** Which camera of a model draws a picture that a policy sees: by name, else as a person chose. Pure. */
import type { EmbodimentInterface } from '@hub/robot-card/interface-schema'
import type { CameraFacts } from '@hub/robot-view/scene/scene'
import type { Picture } from './pictures.ts'

/** What draws pictures: a page, or Chromium without a window. */
export interface PictureSource extends Eyes {
  /** In the order asked: red, green, blue and opacity of each pixel, row by row from the top. */
  draw(asked: readonly AskedPicture[]): Promise<readonly Uint8Array[]>
}

export interface Eyes {
  /** Of the model, in its order. */
  readonly cameras: readonly CameraFacts[]
  /** Cameras that a person chose, as `cameraName` calls them, by the names of pictures or of their inputs. */
  readonly chosen: ChosenCameras
  /** How they choose: in a list of the page, or with an option of the command. */
  readonly choice: 'list' | 'option'
}

export type ChosenCameras = Readonly<Record<string, string>>

export interface AskedPicture {
  /** As the policy calls it. */
  readonly name: string
  /** Place of the camera. */
  readonly camera: number
  /** In pixels. */
  readonly width: number
  readonly height: number
}

type Face = Pick<EmbodimentInterface, 'cameras'>

const quoted = (name: string) => JSON.stringify(name)

/** What people call a camera: its name, else its place, told apart from a camera that has this for a name. */
export function cameraName(cameras: readonly CameraFacts[], at: number): string {
  const own = cameras[at]?.name
  if (own) return own
  let called = `camera ${at}`
  while (cameras.some(({ name }) => name === called)) called += ' without a name'
  return called
}

/** -1 where there is none. */
const cameraCalled = (cameras: readonly CameraFacts[], wanted: string): number =>
  cameras.findIndex((_, at) => cameraName(cameras, at) === wanted)

/**
 * The camera that serves as a picture without a choice: of its name, else the one that the card has for the same image
 * input of a VLA model. Null where there is none.
 */
export function cameraByName(
  { name, slot }: Pick<Picture, 'name' | 'slot'>,
  cameras: readonly CameraFacts[],
  face: Face,
): number | null {
  const of = (wanted: string) => cameras.findIndex((camera) => camera.name === wanted)
  const feeds = face.cameras?.filter(({ vla_slot }) => vla_slot && vla_slot === (slot ?? name)) ?? []
  return [name, ...feeds.map((camera) => camera.name)].map(of).find((at) => at >= 0) ?? null
}

/** Choices of a picture: one, unless it was named in two ways. */
const choicesOf = ({ name, input }: Picture, chosen: ChosenCameras): readonly string[] =>
  [...new Set([name, input.name])].filter((one) => Object.hasOwn(chosen, one))

/** The camera of each picture, or a sentence that says why there is none and what helps. */
export function eyeFor(picture: Picture, source: Eyes | null, face: Face): number | string {
  const { name, width, height } = picture
  const sees = `The policy sees pictures of ${quoted(name)} (${width} x ${height})`
  if (!source) return `${sees}: nothing here draws them.`
  const { cameras, chosen } = source
  const [asked] = choicesOf(picture, chosen).map((one) => chosen[one])
  const at = asked === undefined ? (cameraByName(picture, cameras, face) ?? -1) : cameraCalled(cameras, asked)
  const camera = cameras[at]
  if (!camera) return `${sees}: ${noCamera(name, asked ?? null, source)}.`
  if (camera.perspective) return at
  return `${sees}: the camera ${quoted(cameraName(cameras, at))} has no perspective, and no other kind is drawn.`
}

/** What is wrong with the names that cameras were chosen for: a sentence each. */
export function choiceFaults(pictures: readonly Picture[], chosen: ChosenCameras): readonly string[] {
  const known = new Set(pictures.flatMap(({ name, input }) => [name, input.name]))
  const all = listed(pictures.map(({ name }) => quoted(name)))
  const unknown = Object.entries(chosen).flatMap(([name, camera]) => {
    if (known.has(name)) return []
    const none = `The camera ${quoted(camera)} is chosen for ${quoted(name)}, and the policy sees no `
    return [pictures.length === 0 ? `${none}pictures.` : `${none}picture of this name, but ${all}.`]
  })
  const twice = pictures.flatMap((picture) => {
    const choices = choicesOf(picture, chosen)
    if (choices.length < 2) return []
    return [`Two cameras are chosen for ${quoted(picture.name)}, as ${choices.map(quoted).join(' and ')}: name one.`]
  })
  return [...unknown, ...twice]
}

/** Cameras of pictures by their names: those that were chosen, and are others than without a choice. */
export function chosenOtherwise(pictures: readonly Picture[], source: Eyes, face: Face): ChosenCameras {
  const other = pictures.flatMap((picture) => {
    const at = eyeFor(picture, source, face)
    if (typeof at === 'string' || at === cameraByName(picture, source.cameras, face)) return []
    return [[picture.name, cameraName(source.cameras, at)] as const]
  })
  return Object.fromEntries(other)
}

const LISTED = 8

const listed = (names: readonly string[]) =>
  `${names.slice(0, LISTED).join(', ')}${names.length > LISTED ? ` and ${names.length - LISTED} more` : ''}`

/** `asked`: what was chosen; null where nothing was. */
function noCamera(picture: string, asked: string | null, { cameras, choice }: Eyes): string {
  if (cameras.length === 0)
    return `the model has no camera: add <camera name=${quoted(asked ?? picture)} .../> to its MJCF`
  const all = listed(cameras.map(({ name }, at) => (name === null ? cameraName(cameras, at) : quoted(name))))
  if (asked !== null) return `the model has no camera ${quoted(asked)}, but ${all}`
  return choice === 'list'
    ? `the model has no camera of this name. Choose one of ${all}`
    : `the model has no camera of this name, but ${all}: --camera ${picture}=CAMERA takes one of them, or name it in ` +
        'the contract, or in the card as its vla_slot'
}
