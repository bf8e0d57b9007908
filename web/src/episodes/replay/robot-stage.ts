/** A robot at the poses of an episode: its picture, and one pose at a time on the way to it. */
import type { ThemeName } from '@hub/robot-view/scene/theme'
import { openRobotOfRepo, type ViewedCard } from '../../viewer/open-robot-of-repo.ts'
import { type BodyTree, bodyTree } from '../../viewer/panels/body-tree.ts'
import { element } from '../../viewer/panels/element.ts'
import type { PoseFrame } from '../../viewer/protocol.ts'
import { problemNode, progressNode, stageButtons } from '../../viewer/stage-nodes.ts'
import type { RobotViewer } from '../../viewer/viewer-face.ts'
import type { ShownModel, ViewerState } from '../../viewer/viewer-state.ts'

/** A robot's repo, as far as a picture needs it. */
export interface RobotRepo {
  readonly name: string
  readonly card: ViewedCard | null
  /** Every file with its size. */
  readonly files: readonly (readonly [path: string, sizeBytes: number])[]
  /** Addresses of files, in the order of the paths; at most 100 of them. */
  sign(paths: readonly string[]): Promise<readonly string[]>
}

/** One frame of an episode, as two poses of the robot. */
interface StagePose {
  readonly frame: number
  /** How many frames the episode has: what waits for a frame after its end learns that it never comes. */
  readonly frames?: number
  readonly qpos: readonly number[]
  readonly ghost: readonly number[] | null
}

export interface RobotStage {
  readonly node: HTMLElement
  /** What the robot is drawn on. */
  readonly canvas: HTMLCanvasElement
  readonly viewer: RobotViewer
  /** Shows a pose as soon as the one before is shown; of several that wait, the last. */
  pose(pose: StagePose): void
  close(): void
}

export interface StageOptions {
  readonly repo: RobotRepo
  /** The model file. */
  readonly entry: string
  readonly theme: ThemeName
  /** The model is open. `start`: qpos of the robot's own pose. */
  readonly onReady: (model: ShownModel, start: readonly number[]) => void
}

/** Opens the model of a robot; poses that come before it is open wait. */
export function robotStage({ repo, entry, theme, onReady }: StageOptions): RobotStage {
  const label = `${repo.name} at the shown frame. Arrow keys turn the view, plus and minus zoom, Home puts it back.`
  const canvas = element('canvas', { tabindex: 0, role: 'application', 'aria-label': label })
  const over = element('div', { class: 'viewer-over', role: 'status' })
  const stage = element('div', { class: 'viewer-stage episode-stage' }, canvas, over)
  const node = element('div', { class: 'episode-replay viewer-side' }, stage)
  const { card, files, sign } = repo
  const viewer = openRobotOfRepo({ entry, card, files, sign, canvas, theme })
  const ended = new AbortController()
  let isOpen = false
  let bodies: BodyTree | null = null
  let seen: PoseFrame | null = null
  let asked: StagePose | null = null
  let next: StagePose | null = null
  const send = () => {
    if (!isOpen || asked !== null || next === null) return
    asked = next
    next = null
    viewer.replay(asked.qpos, asked.ghost)
  }
  const hear = (state: ViewerState) => {
    over.hidden = state.phase === 'ready'
    stage.dataset.phase = state.phase
    if (state.phase === 'loading') return over.replaceChildren(progressNode(state))
    if (state.phase === 'failed') return node.replaceChildren(problemNode(state.problem))
    const isNew = state.frame !== seen
    seen = state.frame
    if (!isOpen) {
      isOpen = true
      bodies = bodyTree(state.model, viewer.select)
      stage.append(bodies.place, stageButtons(stage, viewer, ended.signal))
      node.append(element('details', {}, element('summary', {}, 'Bodies'), bodies.node))
      onReady(state.model, Array.from(state.frame.qpos))
    } else if (isNew && asked !== null) {
      if (asked.frames !== undefined) stage.dataset.frames = String(asked.frames)
      stage.dataset.frame = String(asked.frame)
      asked = null
    }
    bodies?.show(state.selected, state.frame)
    send()
  }
  viewer.subscribe(() => hear(viewer.state()))
  hear(viewer.state())
  return {
    node,
    canvas,
    viewer,
    pose(pose) {
      next = pose
      send()
    },
    close() {
      ended.abort()
      viewer.close()
      node.remove()
    },
  }
}
