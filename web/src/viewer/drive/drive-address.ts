/** A policy that drives a robot, as the query of an address: a link drives it the same from the start. Pure. */
import { calm } from '@hub/rollout/loop/calm'
import type { ChosenCameras } from '@hub/rollout/loop/eyes'

/** What makes a task harder, and a person can change. */
export const hardships = ['pushN', 'gravity', 'delayMs', 'observationNoise', 'actionNoise'] as const
export type Hardship = (typeof hardships)[number]

export interface DriveAddress {
  /** Of the hub: `owner/repo`, or `owner/repo:file.onnx`. */
  readonly policy: string
  readonly seed: number
  readonly harder: Readonly<Record<Hardship, number>>
  /** Cameras that a person chose for pictures of the policy. */
  readonly sees: ChosenCameras
}

/** Of a drive. */
export const MAX_SEED = 2_147_483_647

/** More choices than a policy has pictures are none. */
const MOST_CHOICES = 20

const calmly: DriveAddress['harder'] = {
  pushN: calm.pushN,
  gravity: calm.gravity,
  delayMs: calm.delayMs,
  observationNoise: calm.observationNoise,
  actionNoise: calm.actionNoise,
}

/** Null where no policy drives. What else is absent or broken is as by default. */
export function readDriveAddress(query: URLSearchParams): DriveAddress | null {
  const policy = query.get('policy')
  if (policy === null || policy === '') return null
  const harder = { ...calmly }
  for (const one of hardships) {
    const text = query.get(one)
    const value = Number(text)
    if (text !== null && text !== '' && Number.isFinite(value) && value >= 0) harder[one] = value
  }
  return { policy, seed: seedOf(query.get('seed')), harder, sees: choicesIn(query.get('sees')) }
}

export function writeDriveAddress(query: URLSearchParams, { policy, seed, harder, sees }: DriveAddress): void {
  query.set('policy', policy)
  query.set('seed', String(seed))
  for (const one of hardships) if (harder[one] !== calm[one]) query.set(one, String(harder[one]))
  if (Object.keys(sees).length > 0) query.set('sees', JSON.stringify(sees))
}

function seedOf(text: string | null): number {
  const seed = /^\d{1,10}$/.test(text ?? '') ? Number(text) : 1
  return seed <= MAX_SEED ? seed : 1
}

function choicesIn(text: string | null): ChosenCameras {
  if (text === null) return {}
  try {
    const value: unknown = JSON.parse(text)
    const pairs = typeof value === 'object' && value !== null && !Array.isArray(value) ? Object.entries(value) : []
    const areNames = pairs.length <= MOST_CHOICES && pairs.every(([, camera]) => typeof camera === 'string')
    return areNames ? (Object.fromEntries(pairs) as ChosenCameras) : {}
  } catch {
    return {}
  }
}
