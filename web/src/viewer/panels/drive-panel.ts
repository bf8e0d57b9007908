/** The panel of a policy that drives the robot: which one, what makes it harder, how it goes, and its episode. */
import type { EmbodimentInterface } from '@hub/robot-card/interface-schema'
import type { CameraFacts } from '@hub/robot-view/scene/scene'
import { bytes } from '../../ui/format.ts'
import { type DriveAddress, MAX_SEED } from '../drive/drive-address.ts'
import type { DriveState, DriveStatus, LoadedPolicy, TellBytes } from '../drive/drive-protocol.ts'
import { policyOf, policyPaths } from '../drive/policy-files.ts'
import { keptInUse, keptName } from '../kept-map.ts'
import type { RobotViewer } from '../viewer-face.ts'
import { button } from './choices.ts'
import { element, freshId, told } from './element.ts'
import { harderList } from './harder-list.ts'
import { pictureChoices } from './picture-choices.ts'

export interface DrivePanel {
  readonly node: HTMLElement
  show(state: DriveState | null): void
  /** Loads the policy of an address, and lets it drive the robot. */
  open(asked: DriveAddress): void
  /** Of the policy of the hub that drives the robot now; null where there is none. */
  address(): DriveAddress | null
}

/** Loads a policy of the hub by its name. `tell`: bytes that have come, and all of them. */
export type LoadPolicy = (name: string, tell: TellBytes) => Promise<LoadedPolicy>

/** `cameras`: of the model. */
export function drivePanel(
  viewer: RobotViewer,
  { face, cameras }: { readonly face: EmbodimentInterface | null; readonly cameras: readonly CameraFacts[] },
  load: LoadPolicy,
): DrivePanel {
  if (!face) {
    const why = 'The card of this robot declares no interface: a policy would not know its joints.'
    const node = element('p', {}, why)
    return { node, show: () => undefined, open: () => openAround(node), address: () => null }
  }
  let chosen: LoadedPolicy | null = null
  /** Of the policy that was let drive last; null for one that the hub does not have. */
  let driven: Omit<DriveAddress, 'harder'> | null = null
  const words = driveWords()
  const { tell } = words
  const tellLoaded = () => {
    if (chosen) tell(`${chosen.policy.name} is loaded.`, ...mapLines(chosen), ...pictures.lacks())
  }
  const pictures = pictureChoices(cameras, face, tellLoaded)

  const harder = harderList(viewer)
  const seed = numberField('Seed', '1')
  const drive = () => {
    if (!chosen) return
    const { policy, maps, isOfHub } = chosen
    const map = keptInUse(maps, null)?.map ?? null
    const sees = pictures.chosen()
    const number = Math.min(MAX_SEED, Math.max(0, Math.trunc(Number(seed.input.value)) || 0))
    driven = isOfHub ? { policy: policy.name, seed: number, sees } : null
    viewer.drive({ policy, face, map, disturbance: harder.disturbance(), cameras: sees, seed: number })
  }
  const buttons = driveButtons(viewer, drive)

  let loads = 0
  const choose = (load: (tell: TellBytes) => Promise<LoadedPolicy>, asked: DriveAddress | null = null) => {
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
        pictures.open(loaded.policy, asked?.sees ?? {})
        tellLoaded()
        if (asked) drive()
      },
      (error: unknown) => {
        if (mine === loads) tell(error instanceof Error ? error.message : String(error))
      },
    )
  }
  const field = hubField((name) => choose((tell) => load(name, tell)))
  const node = element(
    'div',
    {},
    ...[field.node, fileField(choose), pictures.node, seed.node, buttons.node],
    words.node,
    harder.node,
  )
  return {
    node,
    open(asked) {
      openAround(node)
      field.input.value = asked.policy
      seed.input.value = String(asked.seed)
      harder.set(asked.harder)
      choose((tell) => load(asked.policy, tell), asked)
    },
    address: () => (driven && isDriven(viewer) ? { ...driven, harder: harder.shown() } : null),
    show(state) {
      buttons.show(state, chosen !== null)
      showDrive(words, state)
    },
  }
}

/** A panel that is closed shows nothing of what a link opens in it. */
function openAround(node: HTMLElement): void {
  const around = node.closest('details')
  if (around) around.open = true
}

function isDriven(viewer: RobotViewer): boolean {
  const state = viewer.state()
  return state.phase === 'ready' && (state.drive?.phase === 'driving' || state.drive?.phase === 'loading')
}

function showDrive(words: DriveWords, state: DriveState | null): void {
  if (state?.phase === 'loading') {
    const come = state.runtime && `ONNX Runtime: ${bytes(state.runtime[0])} of ${bytes(state.runtime[1])}`
    words.say([`${state.policy} is being loaded into the engine.`])
    words.count(come ? [come] : [])
  } else if (state?.phase === 'refused') words.tell(`${state.policy} cannot drive this robot.`, ...state.why)
  else if (state) {
    words.say([saidOf(state.status)])
    words.count(statusLines(state.status))
  }
}

type DriveWords = ReturnType<typeof driveWords>

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

/** By which map a policy drives this robot. */
function mapLines({ maps }: LoadedPolicy): readonly string[] {
  const used = keptInUse(maps, null)
  if (used) return [`It drives this robot by the kept map of joints, ${keptName(used)}.`]
  return maps[0] ? [`A map of joints is kept, ${keptName(maps[0])}: it is not used until a person reviews it.`] : []
}

type Choose = (load: (tell: TellBytes) => Promise<LoadedPolicy>) => void

/** A policy by its name on the hub. */
function hubField(take: (name: string) => void) {
  const id = freshId()
  const input = element('input', { id, type: 'text', placeholder: 'owner/repo', spellcheck: 'false' })
  const load = () => take(input.value)
  input.addEventListener('keydown', (event) => {
    if (event.key === 'Enter') load()
  })
  const label = element('label', { for: id }, 'Policy of the hub')
  return { input, node: element('div', { class: 'viewer-field' }, label, input, button('Load', load)) }
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
  return { policy, maps: [], isOfHub: false }
}

function numberField(text: string, value: string) {
  const id = freshId()
  const input = element('input', { id, type: 'number', min: 0, max: MAX_SEED, step: 1, value })
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
