/** The panel of a policy that drives the robot: which one, what makes it harder, how it goes, and its episode. */
import type { EmbodimentInterface } from '@hub/robot-card/interface-schema'
import type { CameraFacts } from '@hub/robot-view/scene/scene'
import { calm } from '@hub/rollout/loop/calm'
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

/** `cameras`: of the model. `load`: a policy of the hub by its name. */
export function drivePanel(
  viewer: RobotViewer,
  { face, cameras }: { readonly face: EmbodimentInterface | null; readonly cameras: readonly CameraFacts[] },
  load: (name: string) => Promise<LoadedPolicy>,
): DrivePanel {
  if (!face) {
    const why = 'The card of this robot declares no interface: a policy would not know its joints.'
    return { node: element('p', {}, why), show: () => undefined }
  }
  let chosen: LoadedPolicy | null = null
  let disturbance = calm
  const said = element('div', { class: 'viewer-drive-said', role: 'status' })
  const tell = (...lines: readonly string[]) => said.replaceChildren(...lines.map((line) => element('p', {}, line)))

  const tellLoaded = () => {
    if (chosen) tell(`${chosen.policy.name} is loaded.`, ...mapLines(chosen), ...pictures.lacks())
  }
  const pictures = pictureChoices(cameras, face, tellLoaded)

  const seed = numberField('Seed', '1')
  const drive = button('Drive', () => {
    if (!chosen) return
    const map = keptInUse(chosen.maps, null)?.map ?? null
    viewer.drive({
      ...{ policy: chosen.policy, face, map, disturbance, cameras: pictures.chosen() },
      seed: Math.trunc(Number(seed.input.value)) || 0,
    })
  })
  drive.classList.add('primary')
  drive.disabled = true
  const stop = button('Stop', () => viewer.undrive())
  const keep = button('Download episode', () => void viewer.recorded().then(download))
  stop.disabled = true
  keep.disabled = true

  const choose = (loading: Promise<LoadedPolicy>) => {
    drive.disabled = true
    tell('Loading the policy.')
    loading.then(
      (loaded) => {
        chosen = loaded
        drive.disabled = false
        pictures.open(loaded.policy)
        tellLoaded()
      },
      (error: unknown) => tell(error instanceof Error ? error.message : String(error)),
    )
  }
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
  const buttons = element('div', { class: 'viewer-copy' }, drive, stop, keep)
  return {
    node: element(
      'div',
      {},
      ...[hubField(load, choose), fileField(choose), pictures.node, seed.node, buttons, said, list.node],
    ),
    show(state) {
      stop.disabled = state === null
      keep.disabled = state?.phase !== 'driving'
      drive.disabled = chosen === null || state?.phase === 'loading'
      if (state?.phase === 'loading') tell(`${state.policy} is being loaded into the engine.`)
      else if (state?.phase === 'refused') tell(`${state.policy} cannot drive this robot.`, ...state.why)
      else if (state) tell(...statusLines(state.status))
    },
  }
}

/** By which map a policy drives this robot. */
function mapLines({ maps }: LoadedPolicy): readonly string[] {
  const used = keptInUse(maps, null)
  if (used) return [`It drives this robot by the kept map of joints, ${keptName(used)}.`]
  return maps[0] ? [`A map of joints is kept, ${keptName(maps[0])}: it is not used until a person reviews it.`] : []
}

/** A policy by its name on the hub. */
function hubField(load: (name: string) => Promise<LoadedPolicy>, choose: (loading: Promise<LoadedPolicy>) => void) {
  const id = freshId()
  const input = element('input', { id, type: 'text', placeholder: 'owner/repo', spellcheck: 'false' })
  const take = () => choose(load(input.value))
  input.addEventListener('keydown', (event) => {
    if (event.key === 'Enter') take()
  })
  const label = element('label', { for: id }, 'Policy of the hub')
  return element('div', { class: 'viewer-field' }, label, input, button('Load', take))
}

/** A policy of this machine: its ONNX file, with its contract and its task. */
function fileField(choose: (loading: Promise<LoadedPolicy>) => void) {
  const id = freshId()
  const input = element('input', { id, type: 'file', multiple: true, accept: '.onnx,.json' })
  input.addEventListener('change', () => {
    const files = [...(input.files ?? [])]
    if (files.length > 0) choose(ofFiles(files))
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

function statusLines(status: DriveStatus): readonly string[] {
  const { policy, task, seed, outcome, notes, timeS, changed } = status
  return [
    `${policy}, task ${task}, seed ${seed}, ${status.rateHz} Hz`,
    `${told(timeS)} s, ${status.decisions} decisions, return ${told(status.return)}`,
    outcome
      ? (outcome.reason ?? endings[outcome.ending])
      : status.holds
        ? 'The condition of success holds.'
        : 'On its way.',
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
