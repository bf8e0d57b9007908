/** What makes the task of a policy harder, as sliders from nothing up. */
import { calm } from '@hub/rollout/loop/calm'
import type { Disturbance } from '@hub/rollout/loop/disturbance'
import { type DriveAddress, type Hardship, hardships } from '../drive/drive-address.ts'
import type { RobotViewer } from '../viewer-face.ts'
import { sliderList } from './slider-list.ts'

const sliders: Readonly<Record<Hardship, { label: string; unit: string; max: number; step: number }>> = {
  pushN: { label: 'Pushes', unit: 'N', max: 100, step: 0.5 },
  gravity: { label: 'Gravity', unit: '×', max: 2, step: 0.01 },
  delayMs: { label: 'Delay', unit: 'ms', max: 300, step: 5 },
  observationNoise: { label: 'Noise of what it sees', unit: '', max: 0.5, step: 0.005 },
  actionNoise: { label: 'Noise of what it does', unit: '', max: 1, step: 0.01 },
}

export interface HarderList {
  readonly node: HTMLElement
  disturbance(): Disturbance
  shown(): DriveAddress['harder']
  /** For the next drive; more than a slider has is its most. */
  set(harder: DriveAddress['harder']): void
}

export function harderList(viewer: RobotViewer): HarderList {
  let disturbance = calm
  const list = sliderList(
    'What makes it harder',
    hardships.map((one) => ({ ...sliders[one], min: 0, limited: true })),
    (place, value) => {
      const change = { [hardships[place] ?? 'pushN']: value }
      disturbance = { ...disturbance, ...change }
      viewer.disturb(change)
    },
  )
  const show = () => list.show(hardships.map((one) => disturbance[one]))
  show()
  return {
    node: list.node,
    disturbance: () => disturbance,
    shown: () => disturbance,
    set(harder) {
      const within = hardships.map((one) => [one, Math.min(sliders[one].max, harder[one])] as const)
      disturbance = { ...calm, ...Object.fromEntries(within) }
      show()
    },
  }
}
