/** One episode on a robot: the rows of the shown frame as poses, and the picture they are shown in. */

import type { JointMap } from '@hub/embodiment/joint-map'
import type { ThemeName } from '@hub/robot-view/scene/theme'
import { element } from '../../viewer/panels/element.ts'
import type { Curves } from '../episode-curves.ts'
import { ACTION, type Pose, posesOf, STATE } from './poses.ts'
import type { RobotRepo, RobotStage, StageOptions } from './robot-stage.ts'
import type { RobotTarget } from './robot-targets.ts'

/** How the numbers of rows become a robot's. */
export interface Mapping {
  readonly map: JointMap
  readonly targets: readonly RobotTarget[]
  /** qpos of the robot's own pose. */
  readonly start: readonly number[]
}

export interface ReplayLane {
  /** Holds the picture, where a robot is chosen. */
  readonly node: HTMLElement
  stage(): RobotStage | null
  curves(): Curves | null
  /** Another episode is shown; null while there is none. */
  load(curves: Curves | null): void
  at(frame: number): void
  /** The map or the robot has changed; null while none is known. */
  mapped(mapping: Mapping | null, isGhost: boolean): void
  /** Values of the shown frame, in the robot's units. */
  values(): { readonly state: Float64Array | null; readonly action: Float64Array | null }
  open(repo: RobotRepo, entry: string, theme: ThemeName): Promise<void>
  /** Whether a robot is open, or is being opened. */
  isOpen(): boolean
  closeRobot(): void
}

/** `onReady`: the robot's model is open; `start` is qpos of its own pose. */
export function replayLane(onReady: StageOptions['onReady']): ReplayLane {
  const node = element('div', { class: 'episode-robot', hidden: true })
  let stage: RobotStage | null = null
  let curves: Curves | null = null
  let mapping: Mapping | null = null
  let isGhost = false
  let frame = 0
  let opened = 0
  let poses: { readonly state: FramePoses; readonly action: FramePoses } = { state: null, action: null }
  let shown: { readonly state: Pose | null; readonly action: Pose | null } = { state: null, action: null }
  const show = () => {
    shown = { state: poses.state?.(frame) ?? null, action: poses.action?.(frame) ?? null }
    const { state, action } = shown
    const pose = state ?? action
    const frames = curves?.times.length ?? 0
    if (pose) stage?.pose({ frame, frames, qpos: pose.qpos, ghost: isGhost && state && action ? action.qpos : null })
  }
  const prepare = () => {
    const of = (feature: string) => (mapping && curves ? posesOf({ ...mapping, curves, feature }) : null)
    poses = { state: of(STATE), action: of(ACTION) }
    show()
  }
  const closeRobot = () => {
    opened += 1
    stage?.close()
    stage = null
    mapping = null
    poses = { state: null, action: null }
    node.hidden = true
  }
  return {
    node,
    stage: () => stage,
    curves: () => curves,
    load(next) {
      curves = next
      prepare()
    },
    at(next) {
      frame = next
      show()
    },
    mapped(next, withGhost) {
      mapping = next
      isGhost = withGhost
      prepare()
    },
    values: () => ({ state: shown.state?.values ?? null, action: shown.action?.values ?? null }),
    async open(repo, entry, theme) {
      closeRobot()
      const own = opened
      node.hidden = false
      // It brings three.js, which an episode without a robot does without.
      const { robotStage } = await import('./robot-stage.ts')
      if (own !== opened) return
      stage = robotStage({ repo, entry, theme, onReady })
      node.replaceChildren(stage.node)
    },
    isOpen: () => !node.hidden,
    closeRobot,
  }
}

type FramePoses = ((frame: number) => Pose) | null
