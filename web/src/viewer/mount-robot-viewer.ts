/**
 * The robot viewer in an element of a page: stage, toolbar and panels. Whatever the page is made with, it mounts and
 * closes this.
 */
import type { ThemeName } from '@hub/robot-view/scene/theme'
import { cameraName } from '@hub/rollout/loop/eyes'
import { modelChoices } from './model-choice.ts'
import { openRobotOfRepo, type ViewedCard } from './open-robot-of-repo.ts'
import { choice } from './panels/choices.ts'
import { type DrivePanel, drivePanel, type LoadPolicy } from './panels/drive-panel.ts'
import { element } from './panels/element.ts'
import { type ReadyPanels, readyPanels } from './panels/ready-panels.ts'
import { shareBar } from './panels/share-bar.ts'
import { type SightStrip, sightStrip } from './panels/sight-strip.ts'
import { noModel, tooManyFiles } from './problems.ts'
import { plainRobot, type RobotAddress, readRobotAddress, writeRobotAddress } from './robot-address.ts'
import { robotLink } from './robot-link.ts'
import { problemNode, progressNode, stageButtons } from './stage-nodes.ts'
import type { RobotViewer } from './viewer-face.ts'
import type { Ready, ViewerState } from './viewer-state.ts'

export interface MountOptions {
  /** Of the repo, for people who do not see the picture. */
  readonly name: string
  readonly card: ViewedCard | null
  /** Every file with its size; null where there are more than the viewer lists. */
  readonly files: readonly (readonly [path: string, sizeBytes: number])[] | null
  /** Addresses of files, in the order of the paths; at most 100 of them. */
  sign(paths: readonly string[]): Promise<readonly string[]>
  /** A policy of the hub: `owner/repo`, or `owner/repo:file.onnx`. Rejects in words for people. */
  readonly policy: LoadPolicy
  readonly theme: ThemeName
  /** The whole address of the page, without a query. */
  readonly address: string
  /** What of the robot is shown first: the query of that page. */
  readonly search: string
  /** In a README only the robot is shown: its page has what a person takes away. */
  readonly isEmbedded: boolean
}

export interface MountedViewer {
  light(theme: ThemeName): void
  close(): void
}

/** Fills `container`. */
export function mountRobotViewer(container: HTMLElement, options: MountOptions): MountedViewer {
  const { files, card, name } = options
  const choices = modelChoices(
    (files ?? []).map(([path]) => path),
    card?.mjcfPath ?? null,
  )
  const root = element('div', { class: 'viewer' })
  container.replaceChildren(root)
  let theme = options.theme
  let open: { viewer: RobotViewer; close(): void } | null = null
  const asked = readRobotAddress(options.search)
  const first = choices.find((path) => path === asked.model) ?? choices[0]
  if (files === null || first === undefined) {
    root.append(problemNode(files === null ? tooManyFiles : noModel))
    return { light: () => undefined, close: () => root.remove() }
  }
  const shown = element('div', { class: 'viewer-shown' })
  const show = (entry: string, look: RobotAddress, lost: string | null = null) => {
    open?.close()
    open = openModel(shown, { ...options, files, theme, look, lost }, entry)
  }
  const picker = choice(
    'Model',
    choices.map((path) => [path, path === card?.mjcfPath ? `${path} (card)` : path]),
    (entry) => show(entry, { ...plainRobot, model: entry === choices[0] ? null : entry }),
  )
  picker.select.value = first
  root.append(
    element('div', { class: 'viewer-models', role: 'group', 'aria-label': `Model of ${name}` }, picker.node),
    shown,
  )
  if (asked.model === null || asked.model === first)
    show(first, { ...asked, model: first === choices[0] ? null : first })
  // A pose and a camera are those of one model.
  else show(first, plainRobot, asked.model)
  return {
    light(next) {
      theme = next
      open?.viewer.light(next)
    },
    close() {
      open?.close()
      root.remove()
    },
  }
}

type Opened = MountOptions & {
  readonly files: readonly (readonly [string, number])[]
  /** How the model is looked at first. */
  readonly look: RobotAddress
  /** The model file that a link names and the repo does not have. */
  readonly lost: string | null
}

function openModel(place: HTMLElement, options: Opened, entry: string) {
  const { name, card, files, sign, theme } = options
  const label = `${name} in 3D. Arrow keys turn the view, plus and minus zoom, Home puts it back.`
  // A canvas whose context was freed never gets another one.
  const canvas = element('canvas', { tabindex: 0, role: 'application', 'aria-label': label })
  const over = element('div', { class: 'viewer-over', role: 'status' })
  const tip = element('div', { class: 'viewer-tip', hidden: true })
  const stage = element('div', { class: 'viewer-stage' }, canvas, over, tip)
  place.replaceChildren(stage)
  const viewer = openRobotOfRepo({ entry, card, files, sign, canvas, theme })
  const ended = new AbortController()
  let panels: ReadyPanels | null = null
  let sights: SightStrip | null = null
  const show = (state: ViewerState) => {
    over.hidden = state.phase === 'ready'
    stage.dataset.phase = state.phase
    if (state.phase === 'loading') over.replaceChildren(progressNode(state))
    else if (state.phase === 'failed') {
      place.replaceChildren(problemNode(state.problem))
    } else {
      if (!panels) {
        const drive = drivePanel(viewer, { face: card?.face ?? null, cameras: state.model.cameras }, options.policy)
        panels = readyPanels(viewer, state.model, { cameras: card?.cameras.map((one) => one.name) ?? [], drive })
        const { cameras } = state.model
        sights = sightStrip((camera) => cameraName(cameras, camera))
        viewer.watch(sights.draw)
        stage.append(...panels.over, sights.node, stageButtons(place, viewer, ended.signal))
        place.replaceChildren(
          panels.toolbar,
          ...shareNodes(viewer, state, options, drive),
          element('div', { class: 'viewer-main' }, stage, panels.side),
        )
        if (options.look.drive) drive.open(options.look.drive)
      }
      panels.show(state)
      if (state.drive?.phase !== 'driving') sights?.clear()
      showTip(tip, state)
    }
  }
  viewer.subscribe(() => show(viewer.state()))
  show(viewer.state())
  return {
    viewer,
    close() {
      ended.abort()
      viewer.close()
    },
  }
}

/** What a person takes away of the robot, and what of the link that opened it cannot be shown. */
function shareNodes(
  viewer: RobotViewer,
  state: Ready,
  { name, address, look, lost, isEmbedded }: Opened,
  drive: DrivePanel,
): readonly HTMLElement[] {
  const link = robotLink(viewer, state, look)
  const bar = shareBar({
    link() {
      const query = writeRobotAddress({ model: look.model, ...link.now(), drive: drive.address() })
      // A robot as it is first shown has the address of its page.
      return new URL(query === '' ? address : `${address}?${query}`)
    },
    title: () => `Robot ${name}`,
    still: viewer.still,
  })
  const fault = lost === null ? link.fault : `The repo has no model ${lost}: its first one is shown.`
  return [
    ...(isEmbedded ? [] : [bar]),
    ...(fault === '' ? [] : [element('p', { class: 'viewer-warning', role: 'status' }, fault)]),
  ]
}

function showTip(tip: HTMLElement, { pointed, model }: Ready): void {
  tip.hidden = pointed === null
  if (pointed === null) return
  const joints = model.jointsOf[pointed.body] ?? []
  const name = model.opened.bodies[pointed.body]?.name ?? ''
  tip.textContent = joints.length === 0 ? name : `${name} · ${joints.join(', ')}`
  tip.style.left = `${pointed.x + 12}px`
  tip.style.top = `${pointed.y + 12}px`
}
