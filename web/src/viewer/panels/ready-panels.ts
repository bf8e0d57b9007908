/** The toolbar and the panels of a robot that is shown. */
import { type Layer, layerNames } from '@hub/robot-view/scene/live-layers'
import { cameraName } from '@hub/rollout/loop/eyes'
import { valueAt } from '../coordinates.ts'
import type { RobotViewer } from '../viewer-face.ts'
import type { Ready, ShownModel } from '../viewer-state.ts'
import { bodyTree } from './body-tree.ts'
import { button, choice, tick } from './choices.ts'
import type { DrivePanel } from './drive-panel.ts'
import { element, told } from './element.ts'
import { sliderList } from './slider-list.ts'

export interface ReadyPanels {
  readonly toolbar: HTMLElement
  readonly side: HTMLElement
  /** What lies over the picture. */
  readonly over: readonly HTMLElement[]
  show(state: Ready): void
}

const speeds = ['0.1', '0.25', '0.5', '1', '2'] as const

interface PanelOptions {
  /** Names of the cameras of the card's interface; they come first. */
  readonly cameras: readonly string[]
  readonly drive: DrivePanel
}

/** The toolbar and the panels of a model that is open. */
export function readyPanels(viewer: RobotViewer, model: ShownModel, { cameras, drive }: PanelOptions): ReadyPanels {
  const { facts } = model.opened
  const play = button('Simulate', () => viewer.play(play.getAttribute('aria-pressed') !== 'true'))
  play.classList.add('primary')
  const speed = choice(
    'Speed',
    speeds.map((one) => [one, `×${one}`]),
    (value) => viewer.setSpeed(Number(value)),
  )
  speed.select.value = '1'
  const keyframe = choice(
    'Pose',
    [['-1', 'Default pose'], ...facts.keyframes.map(({ name }, at) => [String(at), name ?? `keyframe ${at}`] as const)],
    (value) => viewer.toKeyframe(Number(value)),
  )
  const camera = choice('Camera', cameraOptions(model, cameras), (value) =>
    viewer.lookThrough(value === '' ? null : Number(value)),
  )
  const joints = sliderList('Joints', model.coordinates, viewer.setCoordinate)
  const controls = sliderList('Actuators', model.controls, viewer.setControl)
  const bodies = bodyTree(model, viewer.select)
  const status = element('p', { class: 'viewer-status' })
  const warning = element('p', { class: 'viewer-warning', role: 'status' })
  const toolbar = element(
    'div',
    { class: 'viewer-toolbar', role: 'group', 'aria-label': 'Simulation' },
    play,
    button('Step', () => viewer.step()),
    button('Reset', () => viewer.toKeyframe(Number(keyframe.select.value))),
    keyframe.node,
    speed.node,
  )
  const layers = layerNames.map((name) =>
    tick(layerTitles[name], name === 'visual', (shown) => viewer.show(name, shown)),
  )
  const side = element(
    'div',
    { class: 'viewer-side' },
    warning,
    panel('View', true, element('div', {}, camera.node, element('div', { class: 'viewer-layers' }, ...layers))),
    panel(
      `Joints (${facts.joints.length})`,
      true,
      facts.joints.length === 0 ? 'The model has no joints.' : element('div', {}, joints.node, copyOfPose(viewer)),
    ),
    panel(
      `Actuators (${model.controls.length})`,
      false,
      model.controls.length === 0
        ? 'The model has no actuators.'
        : element('div', {}, element('p', {}, 'They act while the model is simulated.'), controls.node),
    ),
    panel('Policy', false, drive.node),
    panel(`Bodies (${model.opened.bodies.length - 1})`, false, bodies.node),
    panel('Model', false, factList(model)),
  )
  return {
    toolbar,
    side,
    over: [bodies.place, status],
    show(state) {
      play.textContent = state.playing ? 'Pause' : 'Simulate'
      play.setAttribute('aria-pressed', String(state.playing))
      camera.select.value = state.camera === null ? '' : String(state.camera)
      joints.show(model.coordinates.map((one) => valueAt(state.frame.qpos, one)))
      controls.show(model.controls.map(({ at }) => state.frame.ctrl[at] ?? 0))
      bodies.show(state.selected, state.frame)
      drive.show(state.drive)
      warning.textContent = warningOf(state)
      warning.hidden = warning.textContent === ''
      status.textContent = statusOf(state)
    },
  }
}

const layerTitles: Readonly<Record<Layer, string>> = {
  visual: 'Visual',
  collision: 'Collision',
  frames: 'Frames',
  inertia: 'Inertia',
  contacts: 'Contacts',
}

/** Copies the pose as the `qpos` of a keyframe has it: numbers with a space between. */
function copyOfPose(viewer: RobotViewer): HTMLElement {
  const told = element('span', { class: 'viewer-copied', role: 'status' })
  const copy = async () => {
    const state = viewer.state()
    if (state.phase !== 'ready') return
    const text = Array.from(state.frame.qpos, (value) => Number(value.toPrecision(9))).join(' ')
    told.textContent = await navigator.clipboard.writeText(text).then(
      () => 'Copied.',
      () => 'The browser does not allow copying here.',
    )
  }
  return element(
    'div',
    { class: 'viewer-copy' },
    button('Copy qpos', () => void copy()),
    told,
  )
}

function warningOf({ unstable, playing, model }: Ready): string {
  if (unstable)
    return (
      'The simulation became unstable and was put back to the default pose. Smaller controls or a smaller timestep ' +
      'help.'
    )
  if (playing && model.falls) return 'The model has no ground: its floating base falls.'
  return ''
}

function statusOf({ frame, pace, framesPerSecond, playing }: Ready): string {
  const parts = [`Simulated time ${told(frame.time)} s`]
  if (playing && pace !== null) parts.push(`×${pace.toFixed(2)} of real time`)
  if (playing && framesPerSecond !== null) parts.push(`${Math.round(framesPerSecond)} frames/s`)
  return parts.join(' · ')
}

function cameraOptions({ cameras }: ShownModel, ofInterface: readonly string[]): (readonly [string, string])[] {
  const own = cameras.map((_, at) => [String(at), cameraName(cameras, at)] as const)
  const isNamed = ([, name]: readonly [string, string]) => ofInterface.includes(name)
  return [['', 'Free'], ...own.filter(isNamed), ...own.filter((one) => !isNamed(one))]
}

function panel(title: string, isOpen: boolean, content: HTMLElement | string): HTMLElement {
  return element('details', { open: isOpen }, element('summary', {}, title), content)
}

function factList({ opened, firstPictureMs }: ShownModel): HTMLElement {
  const { facts, loaded, version } = opened
  const rows: readonly (readonly [string, string])[] = [
    ['Name', facts.model],
    ['Mass', `${told(facts.mass_kg)} kg`],
    ['Degrees of freedom', String(facts.nv)],
    ['Timestep', `${facts.timestep_s} s`],
    ['Files', `${loaded.files}, ${told(loaded.bytes / 1_000_000)} MB`],
    ['Engine', `MuJoCo ${version}`],
    [
      'Loaded in',
      `${Math.round(firstPictureMs)} ms (engine ${Math.round(loaded.engineMs)}, files ${Math.round(loaded.filesMs)}, compile ${Math.round(loaded.compileMs)})`,
    ],
  ]
  return element('dl', {}, ...rows.flatMap(([term, value]) => [element('dt', {}, term), element('dd', {}, value)]))
}
