/** The panel of a policy that drives the robot: which one, what makes it harder, how it goes, and its episode. */
import type { EmbodimentInterface } from '@hub/robot-card/interface-schema'
import type { CameraFacts } from '@hub/robot-view/scene/scene'
import { calm } from '@hub/rollout/loop/calm'
import { bytes } from '../../ui/format.ts'
import type { DriveState, DriveStatus, LoadedPolicy } from '../drive/drive-protocol.ts'
import { policyOf, policyPaths } from '../drive/policy-files.ts'
import { keptInUse, keptName } from '../kept-map.ts'
import type { RobotViewer } from '../viewer-face.ts'
import { button } from './choices.ts'
import { element, freshId, told } from './element.ts'
import { pictureChoices } from './picture-choices.ts'
import { sliderList } from './slider-list.ts'

export interface DrivePanel {
  readonly node: HTMLElement
  show(state: DriveState | null): void
}

const sliders = [
  { key: 'pushN', label: 'Pushes', unit: 'N', max: 100, step: 0.5 },
  { key: 'gravity', label: 'Gravity', unit: '×', max: 2, step: 0.01 },
  { key: 'delayMs', label: 'Delay', unit: 'ms', max: 300, step: 5 },
  { key: 'observationNoise', label: 'Noise of what it sees', unit: '', max: 0.5, step: 0.005 },
  { key: 'actionNoise', label: 'Noise of what it does', unit: '', max: 1, step: 0.01 },
] as const

/** Loads a policy of the hub by its name. `tell`: bytes that have come, and all of them. */
export type LoadPolicy = (name: string, tell: TellBytes) => Promise<LoadedPolicy>

type TellBytes = (doneBytes: number, totalBytes: number) => void

/** `cameras`: of the model. */
export function drivePanel(
  viewer: RobotViewer,
  { face, cameras }: { readonly face: EmbodimentInterface | null; readonly cameras: readonly CameraFacts[] },
  load: LoadPolicy,
): DrivePanel {
  if (!face) {
    const why = 'The card of this robot declares no interface: a policy would not know its joints.'
    return { node: element('p', {}, why), show: () => undefined }
  }
  let chosen: LoadedPolicy | null = null
  const words = driveWords()
  const { tell } = words
  const tellLoaded = () => {
    if (chosen) tell(`${chosen.policy.name} is loaded.`, ...mapLines(chosen), ...pictures.lacks())
  }
  const pictures = pictureChoices(cameras, face, tellLoaded)

  const harder = harderList(viewer)
  const seed = numberField('Seed', '1')
  const buttons = driveButtons(viewer, () => {
    if (!chosen) return
    const map = keptInUse(chosen.maps, null)?.map ?? null
    viewer.drive({
      ...{ policy: chosen.policy, face, map, disturbance: harder.disturbance(), cameras: pictures.chosen() },
      seed: Math.trunc(Number(seed.input.value)) || 0,
    })
  })

  let loads = 0
  const choose = (load: (tell: TellBytes) => Promise<LoadedPolicy>) => {
    loads += 1
    const mine = loads
    // The one before is not what a person has named now, whether this one comes or not.
    chosen = null
    buttons.allow(false)
    tell('Loading the policy.')
    load((done, total) => {
      if (mine === loads && chosen === null) words.count([`${bytes(done)} of ${bytes(total)}`])
    }).then(
      (loaded) => {
        if (mine !== loads) return
        chosen = loaded
        buttons.allow(true)
        pictures.open(loaded.policy)
        tellLoaded()
      },
      (error: unknown) => {
        if (mine === loads) tell(error instanceof Error ? error.message : String(error))
      },
    )
  }
  return {
    node: element(
      'div',
      {},
      ...[hubField(load, choose), fileField(choose), pictures.node, seed.node, buttons.node],
      words.node,
      harder.node,
    ),
    show(state) {
      buttons.show(state, chosen !== null)
      if (state?.phase === 'loading') tell(`${state.policy} is being loaded into the engine.`)
      else if (state?.phase === 'refused') tell(`${state.policy} cannot drive this robot.`, ...state.why)
      else if (state) {
        words.say([saidOf(state.status)])
        words.count(statusLines(state.status))
      }
    },
  }
}

/** What is read aloud, and below it the numbers, which change ten times a second and are not. */
function driveWords() {
  const said = element('div', { role: 'status' })
  const numbers = element('div', {})
  const fill = (node: HTMLElement, lines: readonly string[]) => {
    const shown = [...node.children].map(({ textContent }) => textContent)
    if (shown.join('\n') !== lines.join('\n')) node.replaceChildren(...lines.map((line) => element('p', {}, line)))
  }
  return {
    node: element('div', { class: 'viewer-drive-said' }, said, numbers),
    say: (lines: readonly string[]) => fill(said, lines),
    count: (lines: readonly string[]) => fill(numbers, lines),
    /** Says it, with no numbers. */
    tell(...lines: readonly string[]) {
      fill(said, lines)
      fill(numbers, [])
    },
  }
}

function driveButtons(viewer: RobotViewer, onDrive: () => void) {
  const drive = button('Drive', onDrive)
  const stop = button('Stop', () => viewer.undrive())
  const keep = button('Download episode', () => void viewer.recorded().then(download))
  drive.classList.add('primary')
  const all = [drive, stop, keep]
  for (const one of all) one.disabled = true
  return {
    node: element('div', { class: 'viewer-copy' }, ...all),
    /** Whether there is a policy to drive with. */
    allow(isAllowed: boolean) {
      drive.disabled = !isAllowed
    },
    show(state: DriveState | null, hasPolicy: boolean) {
      const focused = document.activeElement
      stop.disabled = state === null
      keep.disabled = state?.phase !== 'driving'
      drive.disabled = !hasPolicy || state?.phase === 'loading'
      // A button that is switched off would leave the keyboard nowhere.
      if (focused instanceof HTMLButtonElement && focused.disabled && all.includes(focused))
        [stop, drive].find(({ disabled }) => !disabled)?.focus()
    },
  }
}

/** What makes the task harder, from nothing up. */
function harderList(viewer: RobotViewer) {
  let disturbance = calm
  const list = sliderList(
    'What makes it harder',
    sliders.map((one) => ({ ...one, min: 0, limited: true })),
    (place, value) => {
      const change = { [sliders[place]?.key ?? 'pushN']: value }
      disturbance = { ...disturbance, ...change }
      viewer.disturb(change)
    },
  )
  list.show(sliders.map(({ key }) => disturbance[key]))
  return { node: list.node, disturbance: () => disturbance }
}

/** By which map a policy drives this robot. */
function mapLines({ maps }: LoadedPolicy): readonly string[] {
  const used = keptInUse(maps, null)
  if (used) return [`It drives this robot by the kept map of joints, ${keptName(used)}.`]
  return maps[0] ? [`A map of joints is kept, ${keptName(maps[0])}: it is not used until a person reviews it.`] : []
}

type Choose = (load: (tell: TellBytes) => Promise<LoadedPolicy>) => void

/** A policy by its name on the hub. */
function hubField(load: LoadPolicy, choose: Choose) {
  const id = freshId()
  const input = element('input', { id, type: 'text', placeholder: 'owner/repo', spellcheck: 'false' })
  const take = () => choose((tell) => load(input.value, tell))
  input.addEventListener('keydown', (event) => {
    if (event.key === 'Enter') take()
  })
  const label = element('label', { for: id }, 'Policy of the hub')
  return element('div', { class: 'viewer-field' }, label, input, button('Load', take))
}

/** A policy of this machine: its ONNX file, with its contract and its task. */
function fileField(choose: Choose) {
  const id = freshId()
  const input = element('input', { id, type: 'file', multiple: true, accept: '.onnx,.json' })
  input.addEventListener('change', () => {
    const files = [...(input.files ?? [])]
    if (files.length > 0) choose(() => ofFiles(files))
  })
  const label = element('label', { for: id }, 'Or files: ONNX, contract.json, task.json')
  return element('div', { class: 'viewer-field' }, label, input)
}

async function ofFiles(files: readonly File[]): Promise<LoadedPolicy> {
  const paths = policyPaths(files.map(({ name, size }) => [name, size] as const))
  const named = new Map(files.map((file) => [file.name, file]))
  const policy = await policyOf(paths.onnx, paths, (asked) =>
    Promise.all(asked.map(async (path) => new Uint8Array((await named.get(path)?.arrayBuffer()) ?? new ArrayBuffer()))),
  )
  return { policy, maps: [] }
}

function numberField(text: string, value: string) {
  const id = freshId()
  const input = element('input', { id, type: 'number', min: 0, max: 2_147_483_647, step: 1, value })
  const node = element('div', { class: 'viewer-field' }, element('label', { for: id }, text), input)
  return { input, node }
}

const endings = {
  reached: 'It has reached its goal.',
  missed: 'It ran out of time without success.',
  failed: 'It has failed.',
  diverged: 'The motion diverged: a number is no longer finite.',
} as const

/** What changes seldom: that it drives, and how it ended. */
function saidOf({ policy, outcome }: DriveStatus): string {
  return outcome ? (outcome.reason ?? endings[outcome.ending]) : `${policy} drives the robot.`
}

function statusLines(status: DriveStatus): readonly string[] {
  const { policy, task, seed, outcome, notes, timeS, changed } = status
  return [
    `${policy}, task ${task}, seed ${seed}, ${status.rateHz} Hz`,
    `${told(timeS)} s, ${status.decisions} decisions, return ${told(status.return)}`,
    ...(outcome ? [] : [status.holds ? 'The condition of success holds.' : 'On its way.']),
    ...(outcome && !changed ? [`Fingerprint ${outcome.fingerprint}`] : []),
    ...(changed ? ['It was changed on its way, so this is not the rollout of its seed.'] : []),
    ...notes,
  ]
}

function download(text: string): void {
  const link = element('a', { download: 'episode.json' })
  link.href = URL.createObjectURL(new Blob([text], { type: 'application/json' }))
  link.click()
  URL.revokeObjectURL(link.href)
}
