/** A map of joints to look at: both robots side by side, and a slider for each pair of joints that moves both. */
import { type JointMap, through } from '@hub/embodiment/joint-map'
import type { ThemeName } from '@hub/robot-view/scene/theme'
import { type RobotRepo, type RobotStage, robotStage } from '../episodes/replay/robot-stage.ts'
import { type RobotTarget, targetsOf } from '../episodes/replay/robot-targets.ts'
import { modelChoices } from '../viewer/model-choice.ts'
import { button } from '../viewer/panels/choices.ts'
import { element, told } from '../viewer/panels/element.ts'
import { sliderList } from '../viewer/panels/slider-list.ts'
import type { ShownModel } from '../viewer/viewer-state.ts'
import { type MapPair, pairsOf, robotPose, sourcePose, swingOf } from './map-motion.ts'

interface MapViewOptions {
  readonly map: JointMap
  readonly robot: RobotRepo
  /** A robot that has the joints of the source; null where none was named. */
  readonly source: RobotRepo | null
  readonly theme: ThemeName
}

interface Side {
  readonly stage: RobotStage | null
  readonly node: HTMLElement
  /** Null until its model is open. */
  body(): { readonly targets: readonly RobotTarget[]; readonly start: readonly number[] } | null
}

/** Fills `container`; the answer takes it away again. */
export function mountMapView(container: HTMLElement, { map, robot, source, theme }: MapViewOptions): () => void {
  let pairs: readonly MapPair[] = []
  let values: number[] = []
  let frame = 0
  let swinging: number | null = null
  const below = element('div', { class: 'map-joints' })
  let tell: () => void = () => undefined
  const pose = () => {
    frame += 1
    const [ours, theirs] = [right.body(), left?.body()]
    if (ours) right.stage?.pose({ frame, qpos: robotPose(map, pairs, values, ours), ghost: null })
    if (theirs) left?.stage?.pose({ frame, qpos: sourcePose(pairs, values, theirs), ghost: null })
    tell()
  }
  const rest = () => {
    if (swinging !== null) cancelAnimationFrame(swinging)
    swinging = null
  }
  const swing = () => {
    rest()
    const began = performance.now()
    const go = (now: number) => {
      values = swingOf(pairs, Math.max(0, now - began) / 1000).values
      pose()
      swinging = requestAnimationFrame(go)
    }
    swinging = requestAnimationFrame(go)
  }
  const stop = () => {
    rest()
    values = pairs.map(({ start }) => start)
    pose()
  }
  const ready = () => {
    const body = right.body()
    if (!body) return
    pairs = pairsOf(map, body.targets, body.start)
    values = pairs.map(({ start }) => start)
    const list = sliderList('Joints of the source', pairs.map(sliderOf), (place, value) => {
      rest()
      values[place] = value
      pose()
    })
    const said = element('ul', { class: 'lines small', 'aria-label': 'What the robot gets' })
    tell = () => {
      list.show(values)
      said.replaceChildren(...pairs.map((pair, place) => element('li', {}, givenText(pair, values[place] ?? 0))))
    }
    const buttons = element('div', { class: 'row' }, button('Move each joint in turn', swing), button('Stop', stop))
    below.replaceChildren(buttons, element('div', { class: 'map-sides' }, list.node, said))
    pose()
  }
  const right = sideOf(robot, theme, ready)
  const left = source && sideOf(source, theme, pose)
  const sides = element('div', { class: 'map-sides' }, ...(left ? [left.node] : []), right.node)
  container.replaceChildren(sides, below)
  return () => {
    rest()
    left?.stage?.close()
    right.stage?.close()
    container.replaceChildren()
  }
}

function sideOf(repo: RobotRepo, theme: ThemeName, onReady: () => void): Side {
  const paths = repo.files.map(([path]) => path)
  const [entry] = modelChoices(paths, repo.card?.mjcfPath ?? null)
  const title = element('h3', {}, repo.name)
  if (entry === undefined) {
    const node = element('div', {}, title, element('p', {}, 'It has no MJCF or URDF file yet.'))
    return { stage: null, node, body: () => null }
  }
  let body: ReturnType<Side['body']> = null
  const open = ({ opened }: ShownModel, start: readonly number[]) => {
    body = { targets: targetsOf(opened.facts), start }
    onReady()
  }
  const stage = robotStage({ repo, entry, theme, onReady: open })
  return { stage, node: element('div', {}, title, stage.node), body: () => body }
}

const sliderOf = ({ joint, least, most, target }: MapPair) => ({
  ...{ label: joint.from, unit: '', min: least, max: most, step: 0, limited: target?.range != null },
})

/** `elbow = -0.017 · motor_2 + 0.500 = 0.250 rad`. */
function givenText({ joint, target }: MapPair, value: number): string {
  const { from, to, sign, scale, offset } = joint
  const factor = scale === 1 ? (sign === 1 ? '' : '−') : `${told(sign * scale)} · `
  const shift = offset === 0 ? '' : ` ${offset < 0 ? '−' : '+'} ${told(Math.abs(offset))}`
  const result = target ? `${told(through(joint, value))} ${target.unit ?? ''}` : 'not in the model'
  return `${to} = ${factor}${from}${shift} = ${result.trim()}`
}
