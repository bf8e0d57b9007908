/** Which camera of a model draws a picture that a policy sees: by name, else as a person chose. Pure. */
import type { EmbodimentInterface } from '@hub/robot-card/interface-schema'
import type { CameraFacts } from '@hub/robot-view/scene/scene'
import type { Picture } from './pictures.ts'

/** What draws pictures: a page, or Chromium without a window. */
export interface PictureSource {
  /** Of the model, in its order. */
  readonly cameras: readonly CameraFacts[]
  /** Places of cameras that a person chose, by the names of pictures; null where they are found by name alone. */
  readonly chosen: Readonly<Record<string, number>> | null
  /** In the order asked: red, green, blue and opacity of each pixel, row by row from the top. */
  draw(asked: readonly AskedPicture[]): Promise<readonly Uint8Array[]>
}

export interface AskedPicture {
  /** As the policy calls it. */
  readonly name: string
  /** Place of the camera. */
  readonly camera: number
  /** In pixels. */
  readonly width: number
  readonly height: number
}

const quoted = (name: string) => JSON.stringify(name)

/**
 * The camera that serves as a picture without a choice: of its name, else the one that the card has for the same image
 * input of a VLA model. Null where there is none.
 */
export function cameraByName(
  { name, slot }: Pick<Picture, 'name' | 'slot'>,
  cameras: readonly CameraFacts[],
  face: Pick<EmbodimentInterface, 'cameras'>,
): number | null {
  const of = (wanted: string) => cameras.findIndex((camera) => camera.name === wanted)
  const feeds = face.cameras?.filter(({ vla_slot }) => vla_slot && vla_slot === (slot ?? name)) ?? []
  return [name, ...feeds.map((camera) => camera.name)].map(of).find((at) => at >= 0) ?? null
}

/** The camera of each picture, or a sentence that says why there is none and what helps. */
export function eyeFor(
  picture: Picture,
  source: Pick<PictureSource, 'cameras' | 'chosen'> | null,
  face: Pick<EmbodimentInterface, 'cameras'>,
): number | string {
  const { name, width, height } = picture
  const sees = `The policy sees pictures of ${quoted(name)} (${width} x ${height})`
  if (!source) return `${sees}: nothing here draws them.`
  const { cameras, chosen } = source
  const asked = chosen && Object.hasOwn(chosen, name) ? chosen[name] : undefined
  const at = asked ?? cameraByName(picture, cameras, face)
  const camera = at === null ? undefined : cameras[at]
  if (at === null || !camera) return `${sees}: ${noCamera(name, cameras, chosen !== null)}.`
  if (camera.perspective) return at
  return `${sees}: the camera ${quoted(camera.name ?? `${at}`)} has no perspective, and no other kind is drawn.`
}

const LISTED = 8

function noCamera(wanted: string, cameras: readonly CameraFacts[], canChoose: boolean): string {
  if (cameras.length === 0) return `the model has no camera: add <camera name=${quoted(wanted)} .../> to its MJCF`
  const names = cameras.slice(0, LISTED).map(({ name }, at) => (name === null ? `camera ${at}` : quoted(name)))
  const more = cameras.length > LISTED ? ` and ${cameras.length - LISTED} more` : ''
  const all = `${names.join(', ')}${more}`
  return canChoose
    ? `the model has no camera of this name. Choose one of ${all}`
    : `the model has no camera of this name, but ${all}: name one of them in its contract, or in the card as its vla_slot`
}
